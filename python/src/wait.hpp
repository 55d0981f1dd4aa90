// SPDX-License-Identifier: Apache-2.0
//
// Waits: for memory, for all, for one place.
#pragma once

#include <cstdint>

#include "python.hpp"

namespace myr::py {

// Each returns nullptr with a Python exception, or None.
PyObject* wait_all();
PyObject* wait_for(PyObject* const* accesses, Py_ssize_t count);
// Waits until the task that writes this word has ended. False: a Python exception is set.
bool wait_for_place(const std::uint64_t* place);

}  // namespace myr::py
