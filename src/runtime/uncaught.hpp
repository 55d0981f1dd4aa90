// SPDX-License-Identifier: Apache-2.0
//
// An exception of a task that a wait has rethrown, and that nobody catches then: the program ends
// with a message that says which task threw it, rather than with what std::terminate() says.
//
// Threads: any.
#pragma once

#include "base/failure.hpp"

namespace myr::runtime {

// The calling thread is about to rethrow it.
void note_rethrown(const base::Failure& failure);

}  // namespace myr::runtime
