// SPDX-License-Identifier: Apache-2.0
//
// Event count: lets a thread sleep until "something changed" without missing a change, at almost no
// cost for the thread that changes something while nobody sleeps.
//
//   sleeper                                       poster
//     events.announce();                            publish the change
//     if (look for a change) events.cancel();       events.post(1);
//     else events.wait();
//
// Threads: any thread may call every function.
//
// Invariants
//   1. Announced threads = sleeper_count_ + wake_count_ + wakes that a post() is about to add.
//   2. Each wake ends exactly one wait() (or is used up by a cancel()), so a change never wakes
//   more
//      threads than asked for, and posts after the first make no system call for the same sleeper.
//   3. A thread that announced itself before a post() and did not see its change is among the
//   sleepers
//      that this post() finds, because of the fences [fence.pair] (sync/fence.hpp).
#pragma once

#include <cstdint>

#include "base/bits.hpp"
#include "base/contract.hpp"
#include "sync/atomic.hpp"
#include "sync/fence.hpp"

namespace myr::sync {

class alignas(base::kCacheLine) EventCount {
 public:
  // Says that the caller is about to sleep. It must then look for a change once more, and must call
  // either cancel() or wait(). Cost: heavy_fence(), microseconds; spin before you come here.
  void announce() noexcept {
    sleeper_count_.fetch_add(1, acquire);  // [event.claim]
    heavy_fence();                         // [fence.pair]
  }

  // Takes announce() back: the caller found work. If a post() has counted on the caller meanwhile,
  // another sleeper is woken in its place.
  void cancel() noexcept {
    std::uint32_t count = sleeper_count_.load(relaxed);
    while (count != 0) {
      if (sleeper_count_.compare_exchange_weak(count, count - 1, relaxed, relaxed)) return;
    }
    wait();
    post(1);
  }

  // Sleeps until a post() chooses the caller.
  // Order: what the poster wrote before post() is visible after wait() [event.wake].
  void wait() noexcept {
    for (;;) {
      std::uint32_t count = wake_count_.load(relaxed);
      while (count != 0) {
        // [event.wake] Sees what was written before the post() that added the wake.
        if (wake_count_.compare_exchange_weak(count, count - 1, acquire, relaxed)) return;
      }
      futex_wait(wake_count_, 0);
    }
  }

  // Announces a change made by the caller before, and wakes at most `count` sleepers.
  // Cost: a load of a line that changes only when someone goes to sleep.
  void post(std::uint32_t count) noexcept {
    light_fence();  // [fence.pair]
    if (MYR_UNLIKELY(sleeper_count_.load(relaxed) != 0)) post_slow(count);
  }

  // How many threads have announced themselves and were not yet chosen by a post(). A hint.
  [[nodiscard]] std::uint32_t sleepers() const noexcept { return sleeper_count_.load(relaxed); }

 private:
  MYR_COLD void post_slow(std::uint32_t count) noexcept {
    std::uint32_t present = sleeper_count_.load(relaxed);
    std::uint32_t chosen;
    do {
      if (present == 0) return;
      chosen = count < present ? count : present;
      // [event.claim] A thread that announces itself after this, and so is not chosen, sees the
      // change.
    } while (!sleeper_count_.compare_exchange_weak(present, present - chosen, release, relaxed));
    wake_count_.fetch_add(chosen, release);  // [event.wake]
    futex_wake(wake_count_, chosen);
  }

  Atomic<std::uint32_t> sleeper_count_{0};  // written by announce, cancel, post; read by all
  Atomic<std::uint32_t> wake_count_{0};     // futex; post() adds, wait() takes [event.wake]
};

}  // namespace myr::sync
