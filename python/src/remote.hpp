// SPDX-License-Identifier: Apache-2.0
//
// Tasks that other processes of an MPI job run. A task goes there as the module and the name of its
// function, the addresses of its arrays, which the library makes those of the copies, and what
// describes the rest; _remote.py makes that, and makes the arguments of it there. The other
// processes have no Python program: an interpreter starts in them with the first task.
#pragma once

#include <cstddef>

#include "python.hpp"
#include "task.hpp"

namespace myr::py {

struct Kept;

// What a task that may travel is described by: (bytes, addresses), or nullptr if it has to stay.
// Owned. No Python exception is left. Thread: with the lock, in main.
PyObject* remote_description(Task& task, const Kept& kept, std::size_t argument_count);

// There: what the description says. Owned: (task, arguments, file, line); nullptr with a Python
// exception. Thread: with the lock.
PyObject* loaded_description(const void* bytes, std::size_t size, PyObject* addresses);

// Starts the interpreter, if there is none. False: it cannot.
bool start_interpreter();

// What main's tasks in other processes use here is kept until main has waited for all.
void keep_until_wait(const Kept& kept);
void end_of_wait();

// The functions of _remote.py.
void set_remote(PyObject* describe, PyObject* load);

}  // namespace myr::py
