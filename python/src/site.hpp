// SPDX-License-Identifier: Apache-2.0
//
// Places in Python programs, for messages: the line of the innermost frame that is not of this
// package.
#pragma once

#include "python.hpp"

namespace myr::py {

// The place where the caller's code is now; never freed. Thread: with the lock.
// Cost: tens of nanoseconds for a place that is known.
const myr_site* current_site();
// That line, as often as it is asked for; never freed.
const myr_site* named_site(const char* file, unsigned line);
// Code in files whose names begin so is the package's own. Keeps a reference.
void set_package_folder(PyObject* folder);

}  // namespace myr::py
