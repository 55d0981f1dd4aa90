// SPDX-License-Identifier: Apache-2.0
//
// What one worker counted. Written by the worker, read by anybody.
#pragma once

#include "sync/tally.hpp"

namespace myr::engine {

struct WorkerStats {
  sync::Tally spawned;   // tasks
  sync::Tally ran;       // tasks
  sync::Tally linked;    // edges from an unfinished task to a later one
  sync::Tally replayed;  // tasks of recorded steps that were not analysed
  sync::Tally steals;    // visits to another worker's queue that brought something
  sync::Tally stolen;    // tasks brought by them
  sync::Tally parks;     // times the worker went to sleep
  // With --stats only, in ticks of plat::ticks().
  sync::Tally task_ticks;     // in task bodies, without the calls into the runtime they make
  sync::Tally runtime_ticks;  // spawning, linking, ending tasks
  sync::Tally idle_ticks;     // looking for work, asleep
};

}  // namespace myr::engine
