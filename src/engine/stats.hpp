// SPDX-License-Identifier: Apache-2.0
//
// What one worker counted. Written by the worker, read when all workers are at rest.
#pragma once

#include <cstdint>

namespace myr::engine {

struct WorkerStats {
  std::uint64_t spawned = 0;   // tasks
  std::uint64_t ran = 0;       // tasks
  std::uint64_t linked = 0;    // edges from an unfinished task to a later one
  std::uint64_t replayed = 0;  // tasks of recorded steps that were not analysed
  std::uint64_t steals = 0;    // visits to another worker's queue that brought something
  std::uint64_t stolen = 0;    // tasks brought by them
  std::uint64_t parks = 0;     // times the worker went to sleep
  // With --stats only, in ticks of plat::ticks().
  std::uint64_t task_ticks = 0;     // in task bodies, without the calls into the runtime they make
  std::uint64_t runtime_ticks = 0;  // spawning, linking, ending tasks
  std::uint64_t idle_ticks = 0;     // looking for work, asleep
};

}  // namespace myr::engine
