// SPDX-License-Identifier: Apache-2.0
//
// Probes: when to take one task from a worker whose tasks are small and that makes progress. Moving
// a small task gains nothing; but where tasks spawn tasks, the oldest that is ready has most of the
// work below it, however small its body is. Which of the two it is shows afterwards: by how long
// the thief was busy with it. A probe that did not pay is followed by a pause, each twice as long
// as the one before, so the victim loses next to nothing; after one that paid there is none.
//
// Threads: the thief's own.
#pragma once

#include <algorithm>
#include <cstdint>

namespace myr::engine {

class Probes {
 public:
  // Moving a task from one core to another takes both of them about a tenth of that.
  static constexpr std::uint64_t kWorthTicks = 10'000;
  static constexpr std::uint64_t kPauseMin = 10'000;
  static constexpr std::uint64_t kPauseMax = 2'560'000;

  [[nodiscard]] bool is_due(std::uint64_t now) const noexcept { return now >= next_; }
  // The thief has taken a task, and will come back when it has nothing to do again.
  void begin(std::uint64_t now) noexcept { began_ = now; }
  // No victim had one.
  void put_off(std::uint64_t now) noexcept { next_ = now + kPauseMin; }
  // The thief has nothing to do.
  void end(std::uint64_t now) noexcept {
    if (began_ == 0) return;
    const bool paid = now - began_ >= kWorthTicks;
    pause_ = paid ? 0 : std::clamp(2 * pause_, kPauseMin, kPauseMax);
    next_ = now + pause_;
    began_ = 0;
  }

 private:
  std::uint64_t began_ = 0;  // the probe that is under way; 0: none
  std::uint64_t pause_ = 0;  // behind the last one
  std::uint64_t next_ = 0;   // not before
};

}  // namespace myr::engine
