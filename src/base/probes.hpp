// SPDX-License-Identifier: Apache-2.0
//
// Probes: when a thief takes tasks from a worker that makes progress. Moving a small task gains
// nothing; but where tasks spawn tasks, the oldest that is ready has most of the work below it,
// however small its body is. Afterwards it shows which of the two it was: by how long the thief was
// busy. A probe that did not pay is followed by a pause, each twice as long as the one before, so
// the victim loses next to nothing; after one that paid there is none.
//
// Threads: the thief's own.
#pragma once

#include <algorithm>
#include <cstdint>

namespace myr::base {

// In ticks: a task that keeps the thief busy for `kWorth` has paid; and the pauses.
template <std::uint64_t kWorth, std::uint64_t kPauseLeast, std::uint64_t kPauseMost>
class Probes {
 public:
  static constexpr std::uint64_t kWorthTicks = kWorth;
  static constexpr std::uint64_t kPauseMin = kPauseLeast;
  static constexpr std::uint64_t kPauseMax = kPauseMost;

  // The thief has nothing to do. May it begin now?
  [[nodiscard]] bool may_begin(std::uint64_t now) noexcept {
    if (count_ != 0) learn(now);
    return now >= next_;
  }
  // The thief has taken `count` tasks, and will come back when it has nothing to do again.
  void begin(std::uint64_t now, std::uint32_t count = 1) noexcept {
    began_ = now;
    count_ = count;
  }
  // No victim had one.
  void put_off(std::uint64_t now) noexcept { next_ = now + kPauseMin; }

 private:
  void learn(std::uint64_t now) noexcept {
    const bool paid = now - began_ >= count_ * kWorthTicks;
    pause_ = paid ? 0 : std::clamp(2 * pause_, kPauseMin, kPauseMax);
    next_ = now + pause_;
    count_ = 0;
  }

  std::uint64_t began_ = 0;  // the probe that is under way
  std::uint64_t pause_ = 0;  // behind the last one
  std::uint64_t next_ = 0;   // not before
  std::uint32_t count_ = 0;  // tasks of the one that is under way; 0: none is
};

}  // namespace myr::base
