// SPDX-License-Identifier: Apache-2.0
//
// What a task of the library keeps of a call, and what runs in it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kept.hpp"
#include "task.hpp"

namespace myr::py {

// What a task of the library keeps. References are all in `kept`: the arguments of a Python
// function first, then whatever else must stay alive.
struct Closure {
  const TaskBody* body;
  const myr_site* site;
  Kept* kept;
  Future* future;         // nullptr: nobody wants the result
  PyObject* description;  // of a task that may travel: bytes, which are in `kept`
  std::uint32_t argument_count;
  std::uint32_t has_futures;  // among the arguments
  std::uint32_t word_count;
  std::uint32_t is_remote;  // it has come from another process
  // A native function's: integers, floats, stack. A travelling Python function's: where its arrays
  // are.
  Word words[1];
};
inline constexpr std::size_t kClosureBytes = offsetof(Closure, words);

// What runs the tasks of this body, with a Closure.
[[nodiscard]] myr_body body_of(const TaskBody& body);
// How the closure of a task that may travel goes to another process.
extern const myr_closure_kind kTravelling;

}  // namespace myr::py
