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
  // It may give something else, or do something, with the same arguments and what these point to:
  // on the same machine if it runs at another time, or only on another machine.
  bool may_depend_on_others = true;
  bool asks_machine = false;
  // It depends on what each thread has, or changes that, for the tasks that this thread runs, too.
  bool is_of_thread = false;
  // It may touch what is not behind these pointers, nor its own.
  bool may_touch_others = true;
  std::vector<Pointer> pointers = {};
};

// For a function of which the checker sees what it touches, or what makes its result uncertain.
[[nodiscard]] Knowledge knowledge_of_seen(const std::string& symbol);
// For another one. `symbol`: the function's, as the linker has it; `library`: its file.
[[nodiscard]] Knowledge knowledge_of(const std::string& symbol, std::string_view library);

}  // namespace myr::check
