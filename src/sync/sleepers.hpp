// SPDX-License-Identifier: Apache-2.0
//
// Where the threads of a team sleep, each in a bed of its own: so a poster wakes any one of them,
// or the very one that a change concerns, and nobody else. No change is missed, at almost no cost
// for a change while nobody sleeps.
//
//   member `who`                                  poster
//     sleepers.announce(who);                       publish the change
//     if (look for a change) sleepers.cancel(who);  sleepers.post();   a change for any of them
//     else sleepers.wait(who);                      sleepers.post_to(who);   for this one
//
// A member may also nap: it looks again by itself after a while. A change that may wait that long
// need not wake anybody then: post_small().
//
// Threads: announce(), cancel() and wait() by the member itself; the others by any thread.
//
// Invariants
//   1. count_ is the number of beds that say asleep or napping, and kNapper times that of the
//      latter, or is about to be. The one that changes a bed back takes it off: the poster that
//      wakes its owner, or the owner that cancels or whose nap is over.
//   2. A member that announced itself before a post and did not see its change is among the
//      sleepers that this post finds, because of the fences [fence.pair] (sync/fence.hpp).
//   3. No wake is lost: a member that was woken while it found work by itself passes it on.
//   4. end_ is behind all members that have ever lain down. It is written before the fence of 2.
//   5. A reserve of members stays asleep at a post(): members that are awake look for changes
//      before they sleep, so a change waits only while as many are awake as there are beyond the
//      reserve.
#pragma once

#include <cstdint>
#include <memory>

#include "base/bits.hpp"
#include "base/contract.hpp"
#include "sync/atomic.hpp"
#include "sync/fence.hpp"

namespace myr::sync {

class Sleepers {
 public:
  // `reserve`: how many members are not woken by post(), only by post_to() and call_one().
  explicit Sleepers(unsigned member_count, unsigned reserve = 0)
      : beds_(new Bed[member_count]), reserve_(reserve) {}

  // Says that the caller is about to sleep. It must then look for a change once more, and must call
  // either cancel() or wait(). Cost: heavy_fence(), microseconds; spin before you come here.
  void announce(unsigned who) noexcept { lie_down(who, kAsleep); }
  // The same before nap(), and cancel() or nap() must follow.
  void announce_nap(unsigned who) noexcept { lie_down(who, kNapping); }

  // Takes announce() back: the caller found something to do. If somebody woke it meanwhile, for
  // another change perhaps, it wakes another member instead, and says false.
  bool cancel(unsigned who) noexcept {
    if (take_from_bed(who, kAwake)) return true;
    post();
    return false;
  }

  // Sleeps until a post chooses the caller. Returns the processor of the thread that posted.
  // Order: what the poster wrote before is visible after wait() [sleepers.bed].
  unsigned wait(unsigned who) noexcept {
    std::uint32_t state;
    // [sleepers.bed] Sees what was written before the post that woke it.
    while ((state = beds_[who].load(acquire)) == kAsleep) futex_wait(beds_[who], kAsleep);
    return state / kWokenFrom - 1;
  }
  // Sleeps like wait(), but for at most so long. Returns kNoCpu if nobody posted.
  unsigned nap(unsigned who, std::uint64_t timeout_ns) noexcept {
    std::uint32_t state;
    // [sleepers.bed]
    while ((state = beds_[who].load(acquire)) == kNapping) {
      if (!futex_wait_for(beds_[who], kNapping, timeout_ns)) take_from_bed(who, kAwake);
    }
    return state / kWokenFrom - 1;
  }
  static constexpr unsigned kNoCpu = ~0U;

  // Announces a change made by the caller before, and wakes a sleeper, if more sleep than the
  // reserve.
  // Cost: a load of a line that changes only when someone goes to sleep or wakes.
  void post() noexcept {
    light_fence();  // [fence.pair]
    if (MYR_UNLIKELY(sleepers_of(count_.load(relaxed)) > reserve_)) call_one();
  }

  // Announces a change that may wait until a member looks by itself: wakes a sleeper only if none
  // naps. Cost: that of post().
  void post_small() noexcept {
    light_fence();  // [fence.pair]
    const std::uint32_t count = count_.load(relaxed);
    if (MYR_UNLIKELY(count > reserve_ && count < kNapper)) call_one();
  }

  // Announces a change that concerns the member `who`, and wakes it if it sleeps. Did it?
  bool post_to(unsigned who) noexcept {
    light_fence();  // [fence.pair]
    return !is_awake(beds_[who].load(relaxed)) && wake(who);
  }

  // Announces a change that concerns each of some members, in ascending order, and wakes one of
  // them, if any sleeps.
  // Cost: that of post() while nobody sleeps.
  template <class Members>
  void post_to_one_of(const Members& members) noexcept {
    light_fence();  // [fence.pair]
    if (MYR_LIKELY(count_.load(relaxed) == 0)) return;
    const unsigned end = end_.load(relaxed);
    for (const unsigned who : members) {
      if (who >= end) return;
      if (!is_awake(beds_[who].load(relaxed)) && wake(who)) return;
    }
  }

  // Wakes a sleeper, if there is one: the first in order of members, so that it is mostly the same
  // few that work.
  MYR_COLD void call_one() noexcept {
    const unsigned end = end_.load(relaxed);
    for (unsigned who = 0; who < end; ++who) {
      if (!is_awake(beds_[who].load(relaxed)) && wake(who)) return;
    }
  }

  // Do fewer sleep than the reserve? Then one that finds nothing does better to sleep at once. A
  // hint.
  [[nodiscard]] bool too_many_awake() const noexcept { return count() < reserve_; }

  // How many sleep, or are about to. A hint.
  [[nodiscard]] std::uint32_t count() const noexcept { return sleepers_of(count_.load(relaxed)); }

  // Invariant 1: nullptr, or what does not hold. While nobody lies down or is woken.
  [[nodiscard]] const char* broken_invariant() const noexcept {
    std::uint32_t count = 0;
    for (unsigned who = 0; who < end_.load(relaxed); ++who) {
      const std::uint32_t state = beds_[who].load(relaxed);
      count += is_awake(state) ? 0 : weight_of(state);
    }
    return count == count_.load(relaxed) ? nullptr : "another number of sleepers is counted";
  }

 private:
  using Bed = Atomic<std::uint32_t>;  // futex, set by its owner, reset by all [sleepers.bed]
  static constexpr std::uint32_t kAwake = 0;
  static constexpr std::uint32_t kAsleep = 1;
  static constexpr std::uint32_t kNapping = 2;
  // A bed whose owner was woken says from which processor: so many times its number plus one.
  static constexpr std::uint32_t kWokenFrom = 4;
  [[nodiscard]] static bool is_awake(std::uint32_t state) noexcept {
    return state % kWokenFrom == kAwake;
  }
  // In count_, beside 1 for each that sleeps in any way.
  static constexpr std::uint32_t kNapper = 1U << 16;
  [[nodiscard]] static std::uint32_t sleepers_of(std::uint32_t count) noexcept {
    return count % kNapper;
  }
  [[nodiscard]] static std::uint32_t weight_of(std::uint32_t state) noexcept {
    return state == kNapping ? kNapper + 1 : 1;
  }

  void lie_down(unsigned who, std::uint32_t state) noexcept {
    for (unsigned end = end_.load(relaxed); end <= who;) {
      if (end_.compare_exchange_weak(end, who + 1, relaxed, relaxed)) break;
    }
    beds_[who].store(state, relaxed);
    count_.fetch_add(weight_of(state), relaxed);
    heavy_fence();  // [fence.pair]
  }

  // True: the caller changed it.
  bool take_from_bed(unsigned who, std::uint32_t awake) noexcept {
    std::uint32_t state = beds_[who].load(relaxed);
    // [sleepers.bed] The one that sleeps there sees the change.
    if (is_awake(state) || !beds_[who].compare_exchange_strong(state, awake, release, relaxed)) {
      return false;
    }
    count_.fetch_sub(weight_of(state), relaxed);
    return true;
  }

  bool wake(unsigned who) noexcept {
    if (!take_from_bed(who, (this_cpu() + 1) * kWokenFrom)) return false;
    futex_wake(beds_[who], 1);
    return true;
  }

  alignas(base::kCacheLine) Atomic<std::uint32_t> count_{0};  // written by all that sleep and wake
  Atomic<unsigned> end_{0};                                   // no member from here on has slept
  alignas(base::kCacheLine) std::unique_ptr<Bed[]> beds_;
  unsigned reserve_;
};

}  // namespace myr::sync
