// SPDX-License-Identifier: Apache-2.0
//
// Spreads a kernel's data over the workers of a simulated machine, or of an MPI job, before its
// time is measured. Main has written the input, so all of it is at main's worker, and one core
// would have to send it to all. On other machines, whose workers have one memory: nothing.
//
// Threads: the main thread.
#pragma once

#include <myr/myr.h>

#include <cstdint>
#include <vector>

namespace kernels {

// A coarse task's region, and for each of its fine tasks the objects that it changes.
struct DataPlacement {
  myr_region region;
  std::vector<std::vector<void*>> objects;
};

// Has tasks of the same shape take the objects. Returns when they have; main gets no data back.
// `around`: a region with all the placements' regions. `cycles`: of each task; as empty ones end at
// once, few workers may get most of what is placed.
void place_data(myr_region around, const std::vector<DataPlacement>& placements,
                std::int64_t cycles = 0);

}  // namespace kernels
