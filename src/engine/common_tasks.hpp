// SPDX-License-Identifier: Apache-2.0
//
// The ready tasks that lie in no worker's queue: those with a priority, and those of arenas.
// A search for a task begins here. Programs that have neither pay for a look at a count that nobody
// writes.
//
// Threads: any. Invariant: a thread that pushes a task and then posts to the sleepers
// (sync::Sleepers) wakes one that may take it, or one that is about to sleep finds it.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/bits.hpp"
#include "engine/arena.hpp"
#include "engine/ready_heap.hpp"
#include "sync/atomic.hpp"

namespace myr::engine {

class CommonTasks {
 public:
  // A ready task with a priority. Cost: a lock, O(log tasks).
  void push(graph::Task* task);
  // A ready task of an arena, at which `worker` may have looked and not begun it. Returns the
  // workers that are to be told, one by one, because no others may take it; none: anybody may.
  [[nodiscard]] std::vector<unsigned> push(graph::Task* task, Arena& arena, unsigned worker);
  // The one of the highest priority that was pushed first. Or one of an arena that the worker is
  // in, or may come into: it is in it until end() or push(). nullptr: none.
  [[nodiscard]] graph::Task* pop(unsigned worker);
  // Are there tasks that every worker may take? A hint.
  [[nodiscard]] bool has_some() const noexcept { return count_.load(sync::relaxed) != 0; }
  // Does no task lie here, and is none counted? While nobody else uses it.
  [[nodiscard]] bool is_empty() const noexcept {
    return urgent_.size() == 0 && arenas_.empty() && !has_some();
  }

  // The worker comes into the arena even if it is full, and is in it until end().
  void begin(Arena& arena, unsigned worker);
  // A task of the arena has returned. True: others may take some that lie here, and are to be told.
  [[nodiscard]] bool end(Arena& arena, unsigned worker);

 private:
  [[nodiscard]] graph::Task* pop_locked(unsigned worker);
  static void begin_locked(Arena& arena, unsigned worker);
  static void end_locked(Arena& arena, unsigned worker);
  void count();

  std::mutex lock_;  // guards what follows, up to the next comment
  ReadyHeap urgent_;
  std::vector<Arena*> arenas_;  // that have ready tasks, which keep them alive
  // Written under the lock, read as a hint; what is seen of a task comes with the lock.
  alignas(base::kCacheLine) sync::Atomic<std::uint32_t> count_{0};
};

}  // namespace myr::engine
