// SPDX-License-Identifier: Apache-2.0
//
// The successors of one task: those that wait for its end. One word holds the task's generation and
// the head of a list of edges, so that "is this still the task I mean, and has it not ended?" and
// "link me" are one compare-and-swap.
//
//            push                      close                      complete
//   open: (gen, edges) ----> open     open ----> closed: (gen, -)  ----> open: (gen + 1, none)
//
// A task is closed while its body has ended but children of it have not; it is complete afterwards.
//
// Threads: push() by any thread; close() and complete() once each by the thread that ends the task.
// Invariants
//   1. The generation only grows, by one a reuse of the task's memory.
//   2. After close() or complete(), no edge is linked for that generation: push() says so instead.
#pragma once

#include <cstdint>

#include "base/contract.hpp"
#include "graph/task_ref.hpp"
#include "sync/atomic.hpp"

namespace myr::graph {

// One "task waits" entry of a list. Named by its granule; lives in the waiting task's memory.
struct Edge {
  sync::Plain<Granule> next = 0;  // the edge behind it; 0 ends the list
  sync::Plain<Granule> task = 0;  // the waiting task
};

class SuccessorList {
 public:
  enum class Push { Linked, Closed, Complete };

  // Links `edge` (named `granule`) to wait for the task of that generation, if it is still open.
  // Order: with Complete or Closed, what the task wrote is visible to the caller [graph.end]. With
  // Linked, the edge is visible to the thread that ends the task [graph.link].
  [[nodiscard]] Push push(std::uint64_t generation, Granule granule, Edge& edge) noexcept {
    // [graph.end] pairs with close() and complete().
    std::uint64_t seen = word_.load(sync::acquire);
    for (;;) {
      if ((seen >> kGranuleBits) != generation) return Push::Complete;
      const auto head = static_cast<Granule>(seen & kGranuleMask);
      if (head == kClosed) return Push::Closed;
      edge.next = head;
      // [graph.link] release: the ending thread that takes the list sees the edge and the waiting
      // task.
      if (word_.compare_exchange_weak(seen, (generation << kGranuleBits) | granule, sync::release,
                                      sync::acquire)) {
        return Push::Linked;
      }
    }
  }

  // Ends the body of a task with live children. Returns the head of the edges linked so far.
  [[nodiscard]] Granule close() noexcept {
    const std::uint64_t open = word_.load(sync::relaxed);  // only we change the generation
    // [graph.end] release: a thread that sees the task closed sees what it wrote, its domain
    // included.
    const std::uint64_t old = word_.exchange(open | kGranuleMask, sync::acq_rel);
    return static_cast<Granule>(old & kGranuleMask);
  }

  // Completes the task: bumps the generation. Returns the head of the edges linked since (none if
  // closed).
  [[nodiscard]] Granule complete() noexcept {
    const std::uint64_t seen = word_.load(sync::relaxed);
    const std::uint64_t next = ((seen >> kGranuleBits) + 1) << kGranuleBits;
    const std::uint64_t old = word_.exchange(next, sync::acq_rel);  // [graph.end] as in close()
    const auto head = static_cast<Granule>(old & kGranuleMask);
    return head == kClosed ? 0 : head;
  }

  // complete() for a task whose parent runs on the calling thread, so that nobody else can push.
  [[nodiscard]] MYR_INLINE Granule complete_unshared() noexcept {
    const std::uint64_t old = word_.load(sync::relaxed);
    // [graph.end] release: other threads may look whether the task is complete.
    word_.store(((old >> kGranuleBits) + 1) << kGranuleBits, sync::release);
    return static_cast<Granule>(old & kGranuleMask);
  }

  // Begins in memory that reads as zeros, where tasks were before: the first generation behind
  // theirs.
  void begin_again(std::uint64_t generation) noexcept {
    word_.store(generation << kGranuleBits, sync::release);  // [graph.end] they are complete
  }

  [[nodiscard]] std::uint64_t generation() const noexcept {
    return word_.load(sync::acquire) >> kGranuleBits;  // [graph.end]
  }
  [[nodiscard]] bool is_closed(std::uint64_t generation) const noexcept {
    // [graph.end].
    return word_.load(sync::acquire) == ((generation << kGranuleBits) | kGranuleMask);
  }

 private:
  static constexpr Granule kClosed = static_cast<Granule>(kGranuleMask);

  // Written by pushing threads and the ending thread [graph.link] [graph.end]. Generation 1 is the
  // first.
  sync::Atomic<std::uint64_t> word_{std::uint64_t{1} << kGranuleBits};
};

}  // namespace myr::graph
