// SPDX-License-Identifier: Apache-2.0
//
// What is known of functions of libraries that are not compiled for being checked: which of them
// depend on nothing but what they are given.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace myr::check {

// A pointer or a reference that a function gets, in one of the registers for arguments, from 0.
struct Pointer {
  std::uint8_t argument;
  bool is_written;  // what it points to may be
};

struct Knowledge {
  // With equal arguments, and equal memory behind them, it may still give another result or have an
  // effect: on the same machine if it runs at another time, or only on another machine.
  bool may_depend_on_others = true;
  bool asks_machine = false;
  // It depends on state of the calling thread, or changes that also for other tasks that the thread
  // runs.
  bool is_of_thread = false;
  // It may touch memory that is neither behind these pointers nor its own.
  bool may_touch_others = true;
  std::vector<Pointer> pointers = {};
};

// For a function whose accesses the checker sees, or of which it sees what makes the result
// uncertain.
[[nodiscard]] Knowledge knowledge_of_seen(const std::string& symbol);
// For another one. `symbol`: the function's, as the linker has it; `library`: its file.
[[nodiscard]] Knowledge knowledge_of(const std::string& symbol, std::string_view library);

}  // namespace myr::check
