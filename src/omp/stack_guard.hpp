// SPDX-License-Identifier: Apache-2.0
//
// A message for a worker whose stack overflows: which variable makes stacks larger. The process
// dies of the signal as it would without.
#pragma once

namespace myr::omp {

// Handles SIGSEGV from now on, unless the program does already. Called before each worker starts;
// only the first call does anything. A program may set a handler of its own later.
void prepare_stack_message();
// Gives the calling worker a second stack, on which the handler can run. Does nothing if there is
// no handler. Cost: a few system calls, when a worker starts.
void watch_stack();
// Frees it, when the worker ends.
void unwatch_stack();

}  // namespace myr::omp
