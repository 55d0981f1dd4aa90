// SPDX-License-Identifier: Apache-2.0
//
// How code of a task ends, with its children: a part of myr.hpp.
#pragma once

#include <myr/cxx20.hpp>

#include <myr/frontend.h>

#include <exception>
#include <myr/exception.hpp>
#include <utility>

namespace myr::inline v0::detail {

#if defined(__cpp_exceptions)

// What the library has handed over, if anything.
inline std::exception_ptr taken_over(const myr_exception& failure) {
  try {
    rethrow_if_any(failure);
  } catch (...) {
    return caught();
  }
  return nullptr;
}

// Waits for the children of the running task; returns what the first that threw has thrown.
inline std::exception_ptr failure_of_children() {
  myr_wait_all_at(nullptr);
  return taken_over(myr_take_failure());
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

inline std::exception_ptr taken_over(const myr_exception&) { return nullptr; }

template <class Work>
std::exception_ptr outcome_of(Work&& work) {
  work();
  myr_wait_all_at(nullptr);
  return nullptr;
}

#endif

}  // namespace myr::inline v0::detail
