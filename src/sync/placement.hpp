// SPDX-License-Identifier: Apache-2.0
//
// Placement: which worker is the best one for a task. Either a certain one, or the owner, when the
// task can run, of a place that many tasks share in turn: it may change between the spawn and
// then.
#pragma once

#include <cstdint>

#include "sync/atomic.hpp"

namespace myr::sync {

// Belongs to a worker. A hint, so nothing is ordered by it.
// Threads: any.
class Place {
 public:
  [[nodiscard]] unsigned worker() const noexcept {
    const std::uint32_t number = noted_.load(sync::relaxed) % kCandidate;
    return number == 0 ? 0 : number - 1;
  }
  // The worker gets it if it is nobody's.
  void offer(unsigned worker) noexcept {
    if (noted_.load(sync::relaxed) == 0) noted_.store(worker + 1, sync::relaxed);
  }
  // The worker has run a task of the place. One that is not the owner becomes it if it does so
  // twice in a row: once may be an accident, and what follows would move the data back.
  void note(unsigned worker) noexcept {
    const std::uint32_t number = worker + 1;
    const std::uint32_t before = noted_.load(sync::relaxed);
    const std::uint32_t owner = before % kCandidate;
    const bool is_owner = owner == 0 || owner == number || before / kCandidate == number;
    const std::uint32_t after = is_owner ? number : owner + number * kCandidate;
    // A line that others read is written only if that changes something.
    if (after != before) noted_.store(after, sync::relaxed);
  }
  void clear() noexcept { noted_.store(0, sync::relaxed); }

 private:
  static constexpr std::uint32_t kCandidate = 1 << 16;
  // The owner's number plus one, and kCandidate times that of another one that ran it last.
  Atomic<std::uint32_t> noted_{0};
};

class Placement {
 public:
  Placement() = default;  // undefined: until it is set
  [[nodiscard]] static Placement at(unsigned worker) noexcept {
    return Placement(std::uint64_t{worker} << 1U | 1U);
  }
  // The place outlives the task.
  explicit Placement(const Place& place) noexcept
      : bits_(reinterpret_cast<std::uint64_t>(&place)) {}

  // Which of so many workers it belongs to now: a place may remember one of an earlier machine,
  // which had more of them.
  [[nodiscard]] unsigned worker(unsigned worker_count) const noexcept {
    if ((bits_ & 1U) != 0) return static_cast<unsigned>(bits_ >> 1U);
    return reinterpret_cast<const Place*>(bits_)->worker() % worker_count;
  }

 private:
  explicit Placement(std::uint64_t bits) noexcept : bits_(bits) {}
  std::uint64_t bits_;  // a place, or twice a worker's index and 1
};

}  // namespace myr::sync
