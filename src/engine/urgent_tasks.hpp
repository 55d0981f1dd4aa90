// SPDX-License-Identifier: Apache-2.0
//
// The ready tasks that have a priority, of all workers: whoever looks for a task looks here first.
// Tasks without one never come here, so programs that give none pay for a look at a count that
// nobody writes.
//
// Threads: any. Invariant: who pushes a task and then posts to the sleepers (sync::Sleepers) wakes
// one, or one that is about to sleep sees has_some().
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/bits.hpp"
#include "graph/task.hpp"
#include "sync/atomic.hpp"

namespace myr::engine {

class UrgentTasks {
 public:
  // A ready task. REQUIRES: it has an interior, whose priority counts. Cost: a lock, O(log tasks).
  void push(graph::Task* task);
  // The one of the highest priority; of these the one that was pushed first. nullptr: none.
  [[nodiscard]] graph::Task* pop();
  [[nodiscard]] bool has_some() const noexcept { return count_.load(sync::relaxed) != 0; }

 private:
  struct Entry {
    int priority;
    std::uint64_t turn;  // in which it was pushed
    graph::Task* task;
    [[nodiscard]] friend bool operator<(const Entry& a, const Entry& b) noexcept {
      return a.priority != b.priority ? a.priority < b.priority : a.turn > b.turn;
    }
  };

  std::mutex lock_;  // guards what follows, up to the next comment
  std::vector<Entry> heap_;
  std::uint64_t turns_ = 0;
  // Written under the lock, read as a hint; what is seen of a task comes with the lock.
  alignas(base::kCacheLine) sync::Atomic<std::uint32_t> count_{0};
};

}  // namespace myr::engine
