// SPDX-License-Identifier: Apache-2.0
//
// LoopOnNodes: the closure of the graph::Task that stands for a whole loop where nodes share
// memory, from its spawn until its last part has been made. Parts are tasks of the engine's, and
// children of the task that spawned the loop, which has counted them.
//
// Threads: parts are made by any node.
#pragma once

#include "base/thread_context.hpp"
#include "cluster/spread_task.hpp"
#include "engine/worker.hpp"
#include "graph/task.hpp"
#include "proto/messages.hpp"
#include "sync/atomic.hpp"

namespace myr::cluster {

struct LoopOnNodes {
  base::WholeLoop loop;
  proto::LoopPtr windows;
  graph::Task* spawner;  // there as long as a part has not ended
  SpreadTask* spread_spawner;
  std::uint64_t first_order;             // among the spawner's children; of the first part
  sync::Atomic<std::size_t> parts_left;  // that have not been made
};

// The part that the work is, of the loop for which `whole` stands. The last one is its end.
[[nodiscard]] graph::Task& make_part(engine::Worker& worker, graph::Task& whole,
                                     const proto::Work& work);

}  // namespace myr::cluster
