// SPDX-License-Identifier: Apache-2.0
//
// Claims: lets the commutative tasks of one parent run one at a time on the same memory. A task
// that waits for nobody else claims all the memory that it uses so, or is parked behind one that
// has some of it; its claims end when it and its descendants have ended. Nobody waits with claims
// in hand, so nobody waits for ever.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "graph/task.hpp"

namespace myr::graph {

class Claims {
 public:
  // Claims all commutative accesses of the task, or none and parks it: false.
  // Order: what those wrote that had the memory before is visible.
  [[nodiscard]] bool take(Task* task);

  // Ends a task's claims. Returns those that have got theirs now, linked by `next`.
  // Cost: a step for each of those, and for each that is parked behind another one now.
  [[nodiscard]] Task* give_up(Task* task);

 private:
  // Parked tasks, linked by `next`: first in first out.
  struct Line {
    Task* first = nullptr;
    Task* last = nullptr;
    void append(Line other) noexcept;
    [[nodiscard]] Task* pop() noexcept;
  };
  struct Claim {
    std::uint64_t end;
    Line parked;  // until the claim ends
  };
  struct Span {
    std::uint64_t begin;
    std::uint64_t end;
  };
  using Map = std::map<std::uint64_t, Claim>;  // by first byte; disjoint

  static std::vector<Span> spans_of(Task* task);
  [[nodiscard]] Map::iterator find(Span span);
  [[nodiscard]] bool try_take(Task* task);

  std::mutex lock_;
  Map claims_;  // guarded by lock_
};

}  // namespace myr::graph
