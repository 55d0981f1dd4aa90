// SPDX-License-Identifier: Apache-2.0
//
// Where threads sleep that wait for different things: a post wakes them, and each looks for itself.
// sync::EventCount hands wakes to the first that comes, which is right for equal workers only.
//
//   sleeper                                        poster
//     epoch = event.announce();                      publish the change
//     if (look for the change) event.leave();        event.post(kAll);
//     else event.wait(epoch), then event.leave();
//
// Threads: any thread may call every function. A thread that is announced is not counted as awake
// (omp/wait.hpp); the one that wakes it counts it, before it runs: a thread that spins makes room
// for it.
//
// Invariants
//   1. A thread that announced itself before a post and did not see its change is counted when the
//      post looks, because of the fences [fence.pair] (sync/fence.hpp). Only posts of tasks have a
//      light one, for which a sleeper pays; so one that does not know yet that its team has tasks
//      looks for that, too, after it announced itself.
//   2. A post that finds somebody changes the epoch before it wakes, so nobody sleeps on the old
//      one.
//   3. At least as many of those announced as are counted as woken will leave without another post:
//      so a post need not wake while those that it could wake are on their way.
#pragma once

#include <cstdint>

#include "base/contract.hpp"
#include "omp/wait.hpp"
#include "sync/atomic.hpp"
#include "sync/fence.hpp"

namespace myr::omp {

constexpr std::uint32_t kAll = 0x7fffffff;  // as many as sleep

class alignas(64) Event {
 public:
  // Cost: for posts of tasks heavy_fence(), microseconds.
  [[nodiscard]] std::uint32_t announce(bool for_tasks) noexcept {
    // [omp.event_epoch] Before it is counted: a post that counts it as woken changes this epoch.
    const std::uint32_t epoch = epoch_.load(sync::acquire);
    count_awake(-1);
    state_.fetch_add(kSleeper, sync::relaxed);
    if (for_tasks) {
      sync::heavy_fence();  // [fence.pair]
    } else {
      sync::full_fence();  // [fence.pair]
    }
    return epoch;
  }
  void leave() noexcept {
    std::uint64_t old = state_.load(sync::relaxed);
    std::uint64_t left = 0;
    do {
      left = old - kSleeper - (woken_of(old) != 0 ? kWoken : 0);
    } while (!state_.compare_exchange_weak(old, left, sync::relaxed, sync::relaxed));
    if (woken_of(old) == 0) count_awake(1);
  }
  // Sleeps until a post. Order: what the poster wrote is visible [omp.event_epoch].
  void wait(std::uint32_t epoch) noexcept {
    // [omp.event_epoch]
    while (epoch_.load(sync::acquire) == epoch) sync::futex_wait(epoch_, epoch);
  }
  // The same for at most so long. Was there a post?
  bool wait_for(std::uint32_t epoch, std::uint64_t ns) noexcept {
    sync::futex_wait_for(epoch_, epoch, ns);
    return epoch_.load(sync::acquire) != epoch;  // [omp.event_epoch]
  }
  // Announces a change made by the caller before. Cost: a fence, while nobody sleeps.
  void post(std::uint32_t count) noexcept {
    sync::full_fence();  // [fence.pair]
    look(count);
  }
  // The same to threads whose word that they sleep the caller has read with acquire. Cost: a load.
  void post_seen(std::uint32_t count) noexcept { look(count); }
  // The same to one, in a team that has tasks, for a task that any of them may run, or that some of
  // them may run: one that is woken and may not calls pass_on(). False: nobody sleeps that is not
  // on its way. Cost: a load, while nobody sleeps.
  bool offer_task() noexcept {
    sync::light_fence();  // [fence.pair]
    const std::uint64_t state = state_.load(sync::relaxed);
    if (MYR_LIKELY(sleepers_of(state) <= woken_of(state))) return false;
    passes_.store(static_cast<std::uint32_t>(sleepers_of(state)), sync::relaxed);  // [omp.none]
    post_slow(1);
    return true;
  }
  // Wakes another one in its place, unless as many have been as slept when the task was offered.
  void pass_on() noexcept {
    const std::uint32_t left = passes_.load(sync::relaxed);
    if (left == 0) return;
    passes_.store(left - 1, sync::relaxed);  // [omp.none]
    look(1);
  }

 private:
  void look(std::uint32_t count) noexcept {
    const std::uint64_t state = state_.load(sync::relaxed);
    if (MYR_UNLIKELY(sleepers_of(state) > woken_of(state))) post_slow(count);
  }

  static constexpr std::uint64_t kSleeper = 1;
  static constexpr std::uint64_t kWoken = std::uint64_t{1} << 32;
  static std::uint64_t sleepers_of(std::uint64_t state) noexcept { return state % kWoken; }
  static std::uint64_t woken_of(std::uint64_t state) noexcept { return state / kWoken; }

  MYR_COLD void post_slow(std::uint32_t count) noexcept {
    std::uint64_t old = state_.load(sync::relaxed);
    std::uint64_t more = 0;
    do {
      const std::uint64_t asleep = sleepers_of(old) - woken_of(old);
      if (asleep == 0) return;
      more = asleep < count ? asleep : count;
    } while (!state_.compare_exchange_weak(old, old + more * kWoken, sync::relaxed, sync::relaxed));
    count_awake(static_cast<int>(more));
    epoch_.fetch_add(1, sync::release);  // [omp.event_epoch] A thread that wakes sees the change.
    sync::futex_wake(epoch_, count);
  }

  // How many sleep or are about to, and how many of them were woken; written by them and posters.
  sync::Atomic<std::uint64_t> state_{0};
  sync::Atomic<std::uint32_t> epoch_{0};   // written by posters [omp.event_epoch]
  sync::Atomic<std::uint32_t> passes_{0};  // how often a task may still be passed on: a hint
};

}  // namespace myr::omp
