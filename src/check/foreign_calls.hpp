// SPDX-License-Identifier: Apache-2.0
//
// ForeignCalls: calls, by code that is compiled for being checked, of functions in libraries that
// are not. They go through code of the checker's own, which says so before it goes on to the
// function: nobody sees what such a function touches, and what it remembers.
//
// Threads: any may call; the rest one.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "check/known_calls.hpp"
#include "check/modules.hpp"

namespace myr::check {

struct ForeignFunction {
  const void* code;  // where its calls go on: first, as the code between knows
  std::string name;
  Knowledge knowledge;
  std::vector<const void**> slots = {};
};

class ForeignCalls {
 public:
  // By number, as the processor has them in registers.
  using Arguments = std::array<std::uint64_t, 6>;

  // Goes between; what is called from then on is told to Watch::called().
  void intercept(const Modules& modules);
  // Lets calls go straight to the function again.
  static void release(ForeignFunction& function) noexcept;
  // Can it go between on this processor?
  [[nodiscard]] static bool is_possible() noexcept;

 private:
  std::deque<ForeignFunction> functions_;  // which never move
};

}  // namespace myr::check
