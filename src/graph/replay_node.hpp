// SPDX-License-Identifier: Apache-2.0
//
// A task of a recorded step, in one lap: what ends a replayed task without asking a domain. Each
// lap of a step has its own nodes, and begins only when the tasks of the same lap have ended
// before; so a count is touched by tasks of one run of the step alone.
//
// Counts lie side by side, apart from the nodes: a thread that ends a task counts off several that
// were spawned one behind the other, and each line that another worker wrote last costs more than
// the rest.
//
// Threads: `task` is written by the spawning thread before it arrives, and read by the thread that
// finds that all have arrived. worker: by the thread that ends the task, before it arrives at the
// successors. The rest never changes while a task of the lap is alive.
#pragma once

#include <cstdint>

#include "graph/task_ref.hpp"
#include "graph/wait_count.hpp"

namespace myr::graph {

struct Task;
struct AccessKey;

struct alignas(64) ReplayNode {
  static constexpr std::uint32_t kNoWorker = ~std::uint32_t{0};

  WaitCount* waiting = nullptr;              // predecessors in the step, and the spawn itself
  std::uint32_t arrivals = 0;                // how many those are
  std::uint32_t worker = kNoWorker;          // that ran the task last
  std::uint32_t successor_count = 0;         //
  std::uint32_t access_count = 0;            //
  const std::int32_t* successors = nullptr;  // how many nodes further on in the lap
  const AccessKey* keys = nullptr;           // what the spawn is compared with
  Task* task = nullptr;                      // of this run

  // A predecessor has ended, or the task is spawned. True: it was the last; the task can run, and
  // the node is ready for the next run.
  // Order: what the predecessors wrote, and `task`, are visible then [graph.wait].
  [[nodiscard]] bool arrive() noexcept {
    return arrivals == 1 || arrive_at(0) != nullptr;  // 1: the spawn
  }
  // The same for the node that is so far on; only the one that arrives last looks at it. nullptr:
  // not yet.
  [[nodiscard]] ReplayNode* arrive_at(std::int32_t distance) noexcept {
    if (!waiting[distance].count_off()) return nullptr;
    ReplayNode& successor = *(this + distance);
    waiting[distance].rearm(successor.arrivals);
    return &successor;
  }
  // The task has ended before those were spawned that are so far on or further, and no other task
  // of the lap is alive.
  void count_off_successors_alone(std::uint32_t distance) noexcept {
    for (std::uint32_t i = 0; i < successor_count; ++i) {
      if (static_cast<std::uint32_t>(successors[i]) < distance) continue;
      waiting[successors[i]].count_off_alone();
    }
  }
};

}  // namespace myr::graph
