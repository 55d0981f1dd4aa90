// SPDX-License-Identifier: Apache-2.0
//
// Python's exceptions on their way from a task to a wait; mistakes and lack of memory as Python's
// exceptions; tasks that are dropped when the user interrupts the program.
#pragma once

#include <atomic>

#include "python.hpp"

namespace myr::py {

// Set when the module is loaded: of a failed start and of misuse. Subclasses of RuntimeError.
struct Errors {
  PyObject* misuse = nullptr;
  PyObject* start = nullptr;
};
extern Errors errors;

// While not 0, tasks that have not begun are dropped, and fail as interrupted.
extern std::atomic<int> interrupted;

// Takes the current Python exception, as the failure of the running task `name`, spawned at `site`;
// it says so in a note. Thread: with the lock. Returns an owned exception.
PyObject* caught(PyObject* name, const myr_site* site);
// Tells the library that the running task has failed. Takes the reference.
void report(PyObject* exception);
// The same without an exception, and without the lock: the task was dropped.
void report_dropped();
// Behind a wait for all: sets a Python exception if a task has failed. False: one is set.
bool raise_failure();
// An exception of a future that nobody has asked for: the next wait raises it. Takes it.
void note_lost(PyObject* exception);

// From now on mistakes are thrown to the code that has made the call.
void install_error_handler();
// In a catch block behind a call of the library, with the lock: sets a Python exception.
void raise_caught();

}  // namespace myr::py
