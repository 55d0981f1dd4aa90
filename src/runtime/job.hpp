// SPDX-License-Identifier: Apache-2.0
//
// The processes of a job of MPI, before main begins and after it has ended: with MYR_ON=mpi:...
// they find each other when the program has been loaded, and those that are not to run main serve
// the machine instead.
//
// Threads: main's.
#pragma once

#include "base/result.hpp"
#include "cluster/mpi/job.hpp"

namespace myr::runtime {

struct Settings;

// nullptr: the process is in none.
[[nodiscard]] cluster::mpi::Job* joined_job() noexcept;
// It will be in one, or was, but main has not begun, or has returned: static objects are made, or
// destroyed.
[[nodiscard]] bool is_outside_of_job();
[[nodiscard]] base::Error not_launched(const Settings& settings);
// Has the job as many processes as the machine has agents?
[[nodiscard]] base::Result<bool> check_rank_count(cluster::mpi::Job& job, const Settings& settings);

}  // namespace myr::runtime
