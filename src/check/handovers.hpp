// SPDX-License-Identifier: Apache-2.0
//
// Handovers: what puts tasks in order besides declarations and waits. If one task leaves a pointer
// under a lock, or by an atomic operation, and another one takes it, then the taker comes behind
// the task that left it in every schedule. If each user of some memory counts a counter down when
// it is done, then the one that brings it to zero comes behind all others.
//
// Threads: one. Cost: a question looks through the hand-overs before the later task.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "check/order.hpp"

namespace myr::check {

class Handovers {
 public:
  // A value that is no pointer is left alone.
  void leave(std::uint64_t pointer, Order::Id task);
  void take(std::uint64_t pointer, Order::Id task);
  // The task has changed an atomic counter.
  void count(std::uint64_t counter, bool is_zero, Order::Id task);

  // Does a handover put `earlier` before `later`, directly or through other tasks?
  [[nodiscard]] bool is_before(Order::Id earlier, Order::Id later) const;
  void forget_all();

 private:
  void add(Order::Id earlier, Order::Id later);

  std::unordered_map<std::uint64_t, Order::Id> left_;  // by whom last
  std::unordered_map<std::uint64_t, std::vector<Order::Id>> counts_;
  std::unordered_map<Order::Id, std::vector<Order::Id>> before_;
};

}  // namespace myr::check
