// SPDX-License-Identifier: Apache-2.0
//
// WaitCount: how many predecessors of a task have not ended. The one that is taken off last lets
// the task run.
//
// Predecessors end while the task is still being linked behind others. So the linking thread adds a
// bias first, which no number of ended predecessors uses up, and takes it back less the edges that
// it made.
//
//   start()  +kLinking     link n edges     commit(n)  -(kLinking - n)      by the spawner, once
//                                           commit_held(n), of a wait: one more is left, for
//                                           whoever waits: it looks at is_last(), or counts it off
//   hold(n)  +n            link up to n     let_go(m)  -m, for edges that were not made: by a
//                          edges            predecessor that ends before its children
//   count_off()  -1                                                     by each predecessor, once
//
// Threads: start() and commit() by the thread that spawns the task. hold() and let_go() by a thread
// that has not counted its own predecessor off yet. count_off() by any thread.
// Invariants
//   1. Exactly one call of commit() or count_off() says that none is left.
//   2. Count 1, seen by count_off(), is the caller's own edge: no bias is in it, and nobody else
//      has one.
#pragma once

#include <cstdint>

#include "base/contract.hpp"
#include "sync/atomic.hpp"

namespace myr::graph {

class WaitCount {
 public:
  // Before anybody else knows the task.
  void start() noexcept { count_.store(kLinking, sync::relaxed); }

  // Ends what start() began, after `linked` edges were made. True: none is left.
  // Order: then what the predecessors wrote is visible [graph.wait].
  [[nodiscard]] bool commit(std::uint32_t linked) noexcept {
    const std::uint32_t bias = kLinking - linked;
    // [graph.wait] acquire: we see what those wrote that have ended; release: the thread that takes
    // the last one off later sees the task.
    return count_.fetch_sub(bias, sync::acq_rel) == bias;
  }

  // The same for a wait: holds the count above 0 until the caller counts itself off.
  void commit_held(std::uint32_t linked) noexcept {
    count_.fetch_sub(kLinking - linked - 1, sync::relaxed);
  }
  // Are all predecessors off a held count? Order: what they wrote is visible [graph.wait].
  [[nodiscard]] bool is_last() const noexcept { return count_.load(sync::acquire) == 1; }

  // Counts up to so many more edges, before they are made. The caller's own edge still holds the
  // task.
  void hold(std::uint32_t edges) noexcept { count_.fetch_add(edges, sync::relaxed); }
  // Takes back those of hold() that were not made.
  void let_go(std::uint32_t edges) noexcept {
    count_.fetch_sub(edges, sync::relaxed);  // count_off() for our own edge orders it
  }

  // Begins anew with so many to count off, without a bias: for a count whose predecessors are known
  // beforehand (replay_node.hpp). For the thread that took the last one off, or that has the count
  // for itself.
  void rearm(std::uint32_t predecessors) noexcept { count_.store(predecessors, sync::relaxed); }

  // Takes one predecessor off that is not the last. REQUIRES: nobody else uses the count meanwhile.
  void count_off_alone() noexcept { count_.store(count_.load(sync::relaxed) - 1, sync::relaxed); }

  // Takes one predecessor off. True: it was the last, and nobody else will touch the count.
  // Order: then what all predecessors wrote is visible, and is passed on [graph.wait].
  // Cost: no locked instruction for a task's only predecessor.
  [[nodiscard]] bool count_off() noexcept {
    if (count_.load(sync::acquire) == 1)
      return true;                                   // [graph.wait] nobody else changes it any more
    return count_.fetch_sub(1, sync::acq_rel) == 1;  // [graph.wait]
  }

 private:
  // No task has as many edges: there are fewer granules for them.
  static constexpr std::uint32_t kLinking = 1U << 30;

  sync::Atomic<std::uint32_t> count_{0};  // written by spawner and predecessors [graph.wait]
};

}  // namespace myr::graph
