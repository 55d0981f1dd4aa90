// SPDX-License-Identifier: Apache-2.0
//
// How code of a task ends, with its children: a part of myr.hpp.
#pragma once

#include <myr/cxx20.hpp>

#include <myr/myr.h>

#include <exception>
#include <myr/exception.hpp>
#include <utility>

namespace myr::detail {

#if defined(__cpp_exceptions)

// Of the running task: waits for its children, and returns what the first that threw has thrown.
inline std::exception_ptr failure_of_children() {
  myr_wait_all_at(nullptr);
  const myr_exception failure = myr_take_failure();
  if (failure.object == nullptr) return nullptr;
  try {
    failure.kind->rethrow(failure.object);
  } catch (...) {
    return caught();
  }
  return nullptr;
}

// Calls work(), the last that the running task does, and waits for what that has spawned. Returns
// what was thrown first in the serial program.
template <class Work>
std::exception_ptr outcome_of(Work&& work) {
  std::exception_ptr own;
  try {
    work();
  } catch (...) {
    own = caught();
  }
  std::exception_ptr below = failure_of_children();
  return below != nullptr ? below : own;
}

#else

template <class Work>
std::exception_ptr outcome_of(Work&& work) {
  work();
  myr_wait_all_at(nullptr);
  return nullptr;
}

#endif

}  // namespace myr::detail
