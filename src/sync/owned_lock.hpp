// SPDX-License-Identifier: Apache-2.0
//
// A lock that knows who holds it, so that waiting for oneself is an error and not a hang. All zero
// is free: it may lie in memory that nobody has constructed.
//
// Invariants: state 0: nobody holds it; 1: somebody does; 2: somebody does, and others may sleep.
// A thread that finds 2 as it leaves wakes one; that one sets 2 again, as it cannot know whether it
// was the last.
#pragma once

#include <cstdint>

#include "sync/atomic.hpp"

namespace myr::sync {

class OwnedLock {
 public:
  // Waits until nobody holds it, then holds it. False, at once: `self` holds it already. `self` is
  // not 0, and the same for all calls of a thread.
  [[nodiscard]] bool enter(std::uint64_t self) noexcept {
    // A thread sees its own store of itself, and no other thread stores that.
    if (holder_.load(relaxed) == self) return false;
    std::uint32_t free = kFree;
    // [lock.holder] acquire: what the holder before wrote is visible to this one.
    if (!state_.compare_exchange_strong(free, kHeld, acquire, relaxed)) enter_slow();
    holder_.store(self, relaxed);
    return true;
  }

  // REQUIRES: the caller holds it.
  void leave() noexcept {
    holder_.store(0, relaxed);
    // [lock.holder] release: what was written inside is visible to the next holder.
    if (state_.exchange(kFree, release) == kContended) futex_wake(state_, 1);
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kContended = 2;
#ifdef MYR_MODEL
  static constexpr unsigned kSpins = 1;
#else
  static constexpr unsigned kSpins = 100;
#endif

  void enter_slow() noexcept {
    for (unsigned spin = 0; spin < kSpins; ++spin) {
      std::uint32_t free = kFree;
      // [lock.holder] as in enter().
      if (state_.compare_exchange_strong(free, kHeld, acquire, relaxed)) return;
      spin_pause();
    }
    // [lock.holder] as in enter().
    while (state_.exchange(kContended, acquire) != kFree) futex_wait(state_, kContended);
  }

  Atomic<std::uint32_t> state_{kFree};  // [lock.holder]
  Atomic<std::uint64_t> holder_{0};     // by the holder; 0: none
};

}  // namespace myr::sync
