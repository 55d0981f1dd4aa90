// SPDX-License-Identifier: Apache-2.0
//
// Broadcast event: like EventCount, but each sleeper waits for a condition of its own, so a post
// wakes all of them, and one that goes to sleep later cannot use up a wake that was meant for
// another.
//
//   sleeper                                       poster
//     const auto seen = event.announce();           publish the change
//     if (!condition) event.wait(seen);             event.post();
//     event.leave();
//
// Threads: any thread may call every function.
//
// Invariants
//   1. epoch_ only grows (wrapping is harmless below 2^32 posts during one sleep).
//   2. A thread that announced itself before a post() and did not see its change makes that post()
//      raise the epoch, because of the fences [fence.pair], and so does not sleep, or wakes.
#pragma once

#include <cstdint>
#include <limits>

#include "base/bits.hpp"
#include "base/contract.hpp"
#include "sync/atomic.hpp"
#include "sync/fence.hpp"

namespace myr::sync {

class alignas(base::kCacheLine) BroadcastEvent {
 public:
  // Says that the caller is about to sleep; it must then check its condition, and leave() in the
  // end.
  // Cost: heavy_fence(), microseconds; spin before you come here.
  [[nodiscard]] std::uint32_t announce() noexcept {
    sleepers_.fetch_add(1, relaxed);
    heavy_fence();  // [fence.pair]
    // [event.epoch] The change of a post that raised it before is visible.
    return epoch_.load(acquire);
  }

  // Sleeps until a post() after announce() returned `seen`. May return early.
  void wait(std::uint32_t seen) noexcept { futex_wait(epoch_, seen); }

  // Takes announce() back.
  void leave() noexcept { sleepers_.fetch_sub(1, relaxed); }

  // Announces a change made by the caller before, and wakes all sleepers.
  // Cost: a load of a line that changes only when someone goes to sleep.
  void post() noexcept {
    light_fence();  // [fence.pair]
    if (MYR_UNLIKELY(sleepers_.load(relaxed) != 0)) post_slow();
  }

 private:
  MYR_COLD void post_slow() noexcept {
    epoch_.fetch_add(1, release);  // [event.epoch]
    futex_wake(epoch_, std::numeric_limits<std::int32_t>::max());
  }

  Atomic<std::uint32_t> epoch_{0};     // futex, written by post(), read by sleepers [event.epoch]
  Atomic<std::uint32_t> sleepers_{0};  // written by sleepers, read by post()
};

}  // namespace myr::sync
