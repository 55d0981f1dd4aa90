// SPDX-License-Identifier: Apache-2.0
//
// The machine, as Python starts and ends it.
#pragma once

#include "python.hpp"

namespace myr::py {

// Each returns false if a Python exception is set. Thread: with the interpreter's lock.
bool start(const char* machine, unsigned workers, bool pins, unsigned stack_mib,
           unsigned long long chaos);
// Stops the machine. REQUIRES: the caller's tasks have ended, and their failures are taken.
bool finish();
// The process ends: calls of other threads, which no task makes, do not return from now on.
void begin_end();
// In the child of a fork: it has no machine.
void forget_machine();
bool has_machine();
// The machine is a job of processes, which exchange tasks.
bool runs_in_job();
// This process is one of a job, and runs other processes' tasks.
void note_member_of_job();
// What Python code has printed. Thread: with the lock.
void flush_output();
// Why no machine can start here.
void set_obstacle(PyObject* text);
// Which thread is Python's main thread.
void set_main_thread(unsigned long identifier);

}  // namespace myr::py
