// SPDX-License-Identifier: Apache-2.0
//
// Where threads sleep that wait for different things: a post wakes them, and each looks for itself.
// sync::EventCount hands wakes to whoever comes first, which is right for equal workers only.
//
//   sleeper                                        poster
//     epoch = event.announce();                      publish the change
//     if (look for the change) event.leave();        event.post(kAll);
//     else event.wait(epoch), then event.leave();
//
// Threads: any thread may call every function.
//
// Invariants
//   1. A thread that announced itself before a post and did not see its change is counted when the
//      post looks, because of the fences [fence.pair] (sync/fence.hpp).
//   2. A post that finds somebody changes the epoch before it wakes, so nobody sleeps on the old
//      one.
#pragma once

#include <cstdint>

#include "base/contract.hpp"
#include "sync/atomic.hpp"
#include "sync/fence.hpp"

namespace myr::omp {

constexpr std::uint32_t kAll = 0x7fffffff;  // as many as sleep

class alignas(64) Event {
 public:
  // Cost: heavy_fence(), microseconds; spin before you come here.
  [[nodiscard]] std::uint32_t announce() noexcept {
    sleepers_.fetch_add(1, sync::relaxed);
    const std::uint32_t epoch = epoch_.load(sync::relaxed);
    sync::heavy_fence();  // [fence.pair]
    return epoch;
  }
  void leave() noexcept { sleepers_.fetch_sub(1, sync::relaxed); }
  // Sleeps until a post. Order: what the poster wrote is visible [omp.event_epoch].
  void wait(std::uint32_t epoch) noexcept {
    // [omp.event_epoch]
    while (epoch_.load(sync::acquire) == epoch) sync::futex_wait(epoch_, epoch);
  }
  // Announces a change made by the caller before. Cost: a load, while nobody sleeps.
  void post(std::uint32_t count) noexcept {
    sync::light_fence();  // [fence.pair]
    if (MYR_UNLIKELY(sleepers_.load(sync::relaxed) != 0)) post_slow(count);
  }
  // A hint.
  [[nodiscard]] bool has_sleepers() const noexcept { return sleepers_.load(sync::relaxed) != 0; }

 private:
  MYR_COLD void post_slow(std::uint32_t count) noexcept {
    epoch_.fetch_add(1, sync::release);  // [omp.event_epoch] Who wakes sees the change.
    sync::futex_wake(epoch_, count);
  }

  sync::Atomic<std::uint32_t> sleepers_{0};  // written by those who sleep
  sync::Atomic<std::uint32_t> epoch_{0};     // written by posters [omp.event_epoch]
};

}  // namespace myr::omp
