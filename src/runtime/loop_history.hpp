// SPDX-License-Identifier: Apache-2.0
//
// What is remembered of loops that have run: how long an iteration takes, and which worker ran
// which part over which data. A fixed number of loops: one that comes to the place of another takes
// it over. All of it is a hint, so nothing orders one number with another.
//
// Threads: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sync/atomic.hpp"

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

// Who ran which part.
class LoopPlaces {
 public:
  static constexpr std::size_t kSlots = 64;  // more parts share them

  // The worker that ran the part last; `otherwise` if that is not known.
  [[nodiscard]] unsigned get(std::size_t slot, unsigned otherwise) const noexcept {
    const unsigned noted = workers_[slot].load(sync::relaxed);
    return noted == 0 ? otherwise : noted - 1;
  }
  void note(std::size_t slot, unsigned worker) noexcept {
    // A line that others read is written only if that changes something.
    const auto number = static_cast<std::uint16_t>(worker + 1);
    if (workers_[slot].load(sync::relaxed) != number) workers_[slot].store(number, sync::relaxed);
  }

 private:
  friend class LoopHistory;
  sync::Atomic<std::uint64_t> key_{0};
  std::array<sync::Atomic<std::uint16_t>, kSlots> workers_{};
};

class LoopHistory {
 public:
  [[nodiscard]] static LoopHistory& instance() noexcept;

  // Of the loop with this body.
  [[nodiscard]] LoopPace& pace(std::uintptr_t body) noexcept;
  // Of the loop with this body over this range and data, cut into so many parts.
  struct Repeated {
    std::uintptr_t body;
    std::uintptr_t data;
    std::size_t begin, end, parts;
  };
  [[nodiscard]] LoopPlaces& places(const Repeated& loop) noexcept;

 private:
  static constexpr std::size_t kLoops = 256;
  std::array<LoopPace, kLoops> paces_;
  std::array<LoopPlaces, kLoops> places_;
};

}  // namespace myr::runtime
