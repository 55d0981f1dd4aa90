// SPDX-License-Identifier: Apache-2.0
//
// Calls of the library from Python: the machine is started, the stack's state is put aside, and
// what the library throws becomes a Python exception.
#pragma once

#include <cxxabi.h>

#include <exception>

#include "failure.hpp"
#include "stack_state.hpp"

namespace myr::py {

// Starts the machine, unless it runs. False: a Python exception is set.
bool ensure_started();
// On smp and serial a spawn never waits for another thread, so it keeps the interpreter's lock.
Lock lock_of_spawns();

// Calls work(). False: a Python exception is set. Thread: with the interpreter's lock.
template <class Work>
bool call_library(Lock lock, const Work& work) {
  std::exception_ptr failure;
  {
    const Outside outside(lock);
    try {
      work();
    } catch (const abi::__forced_unwind&) {
      throw;
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure == nullptr) return true;
  try {
    std::rethrow_exception(failure);
  } catch (...) {
    raise_caught();
  }
  return false;
}

// While one lives in Python's main thread, an interrupt from the keyboard drops the tasks that
// have not begun; a second one ends the process. Thread: with the interpreter's lock, at both ends.
class Interruptible {
 public:
  Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  ~Interruptible();
  [[nodiscard]] bool has_happened() const;

 private:
  bool is_main_;
};

bool is_main_thread();

}  // namespace myr::py
