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
//   1. Announced threads = sleepers + wakes, the two halves of state_. A post() turns sleepers into
//      wakes; a wait() uses up a wake, a cancel() either. At most 65,535 threads.
//   2. A change wakes no more threads than asked for, and posts after the first make no system call
//      for the same sleeper.
//   3. A thread that announced itself before a post() and did not see its change is among the
//      sleepers that this post() finds, because of the fences [fence.pair] (sync/fence.hpp).
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
    state_.fetch_add(kSleeper, relaxed);
    heavy_fence();  // [fence.pair]
  }

  // Takes announce() back: the caller found work. If a post() has chosen the caller meanwhile, then
  // no sleeper was left to choose, so no other one needs to be woken for it.
  void cancel() noexcept {
    std::uint32_t state = state_.load(relaxed);
    std::uint32_t part;
    do {
      MYR_DCHECK(state != 0);
      part = sleepers_of(state) != 0 ? kSleeper : kWake;
    } while (!state_.compare_exchange_weak(state, state - part, relaxed, relaxed));
  }

  // Sleeps until a post() chooses the caller.
  // Order: what the poster wrote before post() is visible after wait() [event.post].
  void wait() noexcept {
    std::uint32_t state = state_.load(relaxed);
    for (;;) {
      if (state < kWake) {
        futex_wait(state_, state);
        state = state_.load(relaxed);
      } else if (state_.compare_exchange_weak(state, state - kWake, acquire, relaxed)) {
        return;  // [event.post] Sees what was written before the post() that made the wake.
      }
    }
  }

  // Announces a change made by the caller before, and wakes at most `count` sleepers.
  // Cost: a load of a line that changes only when someone goes to sleep.
  void post(std::uint32_t count) noexcept {
    light_fence();  // [fence.pair]
    if (MYR_UNLIKELY(sleepers() != 0)) post_slow(count);
  }

  // How many threads have announced themselves and were not yet chosen by a post(). A hint.
  [[nodiscard]] std::uint32_t sleepers() const noexcept {
    return sleepers_of(state_.load(relaxed));
  }

 private:
  static constexpr std::uint32_t kSleeper = 1;
  static constexpr std::uint32_t kWake = 1U << 16;
  [[nodiscard]] static std::uint32_t sleepers_of(std::uint32_t state) noexcept {
    return state % kWake;
  }

  MYR_COLD void post_slow(std::uint32_t count) noexcept {
    std::uint32_t state = state_.load(relaxed);
    std::uint32_t chosen;
    do {
      const std::uint32_t present = sleepers_of(state);
      if (present == 0) return;
      chosen = count < present ? count : present;
      // [event.post] The chosen see the change.
    } while (!state_.compare_exchange_weak(state, state + chosen * (kWake - kSleeper), release,
                                           relaxed));
    futex_wake(state_, chosen);
  }

  Atomic<std::uint32_t> state_{0};  // futex, written and read by all [event.post]
};

}  // namespace myr::sync
