// SPDX-License-Identifier: Apache-2.0
//
// Arena: limits how many workers run tasks of one call (myr::Arena), and of all that is spawned
// below it, at the same time. Such tasks lie in no worker's queue but here.
//
// A worker is in an arena while a task of it has begun there and has not returned, also one that
// waits. Inside, it may begin more: so what its tasks wait for gets done, whatever the
// limit.
//
// Threads: any. All but the hints is guarded by the lock of CommonTasks, which looks after it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_context.hpp"
#include "engine/ready_heap.hpp"
#include "sync/atomic.hpp"

namespace myr::engine {

class Arena final : public base::Arena {
 public:
  Arena(unsigned limit, unsigned worker_count) : limit_(limit), begun_(worker_count) {}

  // Has it room for one more worker, and no ready task? A hint.
  [[nodiscard]] bool wants_tasks() const noexcept {
    return workers_.load(sync::relaxed) < limit_ && ready_count_.load(sync::relaxed) == 0;
  }

 private:
  friend class CommonTasks;
  [[nodiscard]] bool is_full() const noexcept { return workers_.load(sync::relaxed) >= limit_; }
  [[nodiscard]] bool admits(unsigned worker) const noexcept {
    return begun_[worker] != 0 || !is_full();
  }

  const unsigned limit_;
  std::vector<std::uint32_t> begun_;  // tasks of it that have begun and not returned, by worker
  ReadyHeap ready_;
  // Written under the lock, read by others as hints.
  sync::Atomic<unsigned> workers_{0};  // that are in it
  sync::Atomic<std::uint32_t> ready_count_{0};
};

}  // namespace myr::engine
