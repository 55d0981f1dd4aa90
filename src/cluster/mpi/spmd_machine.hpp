// SPDX-License-Identifier: Apache-2.0
//
// The machine of an SPMD program, as one of its workers has it: regions that schedulers of other
// processes own. The schedulers are those of any job (Job::serve()).
#pragma once

#include <memory>

#include "base/result.hpp"
#include "cluster/machine.hpp"
#include "cluster/mpi/job.hpp"

namespace myr::cluster::mpi {

// On the rank of each worker, by all of them: makes the caller main of it. REQUIRES: as many ranks
// as agents, and no other machine at the time. Rank 0's has everybody's usage in the end, others'
// their own.
[[nodiscard]] base::Result<std::unique_ptr<Machine>> start_spmd(Job& job, sched::Topology topology,
                                                                const Options& options);

}  // namespace myr::cluster::mpi
