// SPDX-License-Identifier: Apache-2.0
//
// Faults: a task that follows a pointer into memory that has not come with it would end its process
// by a signal, which says nothing about the task. So it is a mistake like others: one message, with
// the place of the spawn.
#pragma once

#include <csignal>

namespace myr::cluster::mpi {

// Which faults the program leaves to the system. The MPIs handle them, too, from their start on,
// and say less: so this is asked before that.
[[nodiscard]] sigset_t unhandled_faults();

// In a task, these end the job with a message from now on, on all threads. Anywhere else they do
// what they do without MPI.
void report_faults(const sigset_t& faults);
// Is that done for accesses to memory?
[[nodiscard]] bool reports_access();

}  // namespace myr::cluster::mpi
