// SPDX-License-Identifier: Apache-2.0
//
// What is said when the process dies of a signal in a task: which task it is, and what it has
// declared.
#pragma once

#include "graph/task.hpp"
#include "plat/stack_guard.hpp"

namespace myr::engine {

// In a signal handler: allocates nothing, and takes no lock.
void tell_fault(graph::Task& task, const plat::Fault& fault) noexcept;

}  // namespace myr::engine
