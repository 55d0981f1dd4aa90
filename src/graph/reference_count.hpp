// SPDX-License-Identifier: Apache-2.0
//
// ReferenceCount: keeps a closed task's domain while threads read it. The task has one reference
// from when it gets its domain until it is complete; a reader adds one, if it still finds one, and
// then checks that the task is the one it means: the memory may have become another task's, whose
// reference it then counts on for a moment. The last drop recycles the
// memory.
//
// Threads: attach() by the thread that runs the task; the others by any.
// Invariants
//   1. 0 while the task has no domain: nobody gets a reference then.
//   2. From attach() on, exactly one drop() is the last.
#pragma once

#include <cstdint>

#include "sync/atomic.hpp"

namespace myr::graph {

class ReferenceCount {
 public:
  // The task's own reference.
  void attach() noexcept {
    // An increment, not a store: so it passes on what the last drop() has released [graph.refs],
    // and a late reader that counts on it sees that the task it means is complete.
    count_.fetch_add(1, sync::relaxed);
  }

  // Adds a reader's. False: there is none to count on, so the reader's task is complete.
  [[nodiscard]] bool try_add() noexcept {
    // Acquire, also of 0: the last drop() followed the end of the task's last child, and the caller
    // goes on as if it had waited for what that child wrote.
    std::uint32_t count = count_.load(sync::acquire);  // [graph.refs]
    while (count != 0) {
      // [graph.refs]
      if (count_.compare_exchange_weak(count, count + 1, sync::acquire, sync::acquire)) return true;
    }
    return false;
  }

  // Gives one up. True: it was the last, and the caller must recycle the task.
  [[nodiscard]] bool drop() noexcept {
    // [graph.refs] The last to leave sees that the others have finished reading, and may recycle.
    return count_.fetch_sub(1, sync::acq_rel) == 1;
  }

 private:
  // Never reset: reuse of the memory continues the count [graph.refs].
  sync::Atomic<std::uint32_t> count_{0};
};

}  // namespace myr::graph
