// SPDX-License-Identifier: Apache-2.0
//
// What is remembered of loops that have run: how long an iteration takes, and which worker runs
// which part of a range. A fixed number of them: one that comes to the place of another takes
// it over. All of it is a hint, so nothing orders one number with another.
//
// Threads: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sync/atomic.hpp"
#include "sync/placement.hpp"

namespace myr::runtime {

// How long an iteration takes; the range of the loop may change.
class LoopPace {
 public:
  // In ticks for 1,024 iterations; 0: not known.
  [[nodiscard]] std::uint64_t get() const noexcept { return ticks_.load(sync::relaxed); }
  void note(std::uint64_t ticks, std::size_t iterations) noexcept {
    const auto scaled = static_cast<double>(ticks) * 1024 / static_cast<double>(iterations);
    ticks_.store(scaled < 1 ? 1 : static_cast<std::uint64_t>(scaled), sync::relaxed);
  }

 private:
  friend class LoopHistory;
  sync::Atomic<std::uint64_t> key_{0};
  sync::Atomic<std::uint64_t> ticks_{0};
};

// Which worker runs which part of a range.
class LoopPlaces {
 public:
  static constexpr std::size_t kSlots = 64;  // of the range, of the same length

  [[nodiscard]] sync::Place& at(std::size_t slot) noexcept { return slots_[slot]; }
  // The worker runs what lies in these slots.
  void note(std::size_t begin, std::size_t end, unsigned worker) noexcept {
    for (std::size_t slot = begin; slot < end; ++slot) slots_[slot].note(worker);
  }

 private:
  friend class LoopHistory;
  sync::Atomic<std::uint64_t> key_{0};
  std::array<sync::Place, kSlots> slots_{};
};

class LoopHistory {
 public:
  [[nodiscard]] static LoopHistory& instance() noexcept;

  // The pace of the loop with this body.
  [[nodiscard]] LoopPace& pace(std::uintptr_t body) noexcept;
  // The places of all loops over this range: what has the same number is mostly used by the same
  // iteration, and so by the same worker, whatever the loop does.
  [[nodiscard]] LoopPlaces& places(std::size_t begin, std::size_t end) noexcept;

 private:
  static constexpr std::size_t kLoops = 256;
  std::array<LoopPace, kLoops> paces_;
  std::array<LoopPlaces, kLoops> places_;
};

}  // namespace myr::runtime
