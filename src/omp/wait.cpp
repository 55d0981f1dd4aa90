// SPDX-License-Identifier: Apache-2.0
#include "omp/wait.hpp"

#include <fcntl.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "omp/observe.hpp"
#include "omp/settings.hpp"
#include "plat/clock.hpp"

namespace myr::omp {

namespace {

// In ticks of a few hundred picoseconds: about 20 us, 800 us, 40 us, at most 10 ms.
constexpr std::uint64_t kLeastSpin = 50'000;
constexpr std::uint64_t kMostSpin = 2'000'000;
constexpr std::uint64_t kInterrupted = 100'000;  // between two turns: we were not running
constexpr std::uint64_t kBusyFor = 25'000'000;
constexpr std::uint64_t kSlice = 2'500'000;  // 1 ms: about what the kernel lets a thread run
constexpr std::uint64_t kLongWaitNs = 500'000;
constexpr std::uint64_t kOthersFor = 250'000'000;
constexpr std::uint64_t kNapNs = 100'000;

// [omp.none] Hints: nothing else depends on them.
sync::Atomic<int> awake{1};
sync::Atomic<std::uint64_t> busy_until{0};
sync::Atomic<std::uint64_t> crowded_at{0};  // when more were awake than there are processors

// Others had the processor for `gap`.
void note_busy(std::uint64_t now, std::uint64_t gap) noexcept {
  const std::uint64_t time = 8 * gap < kBusyFor ? 8 * gap : kBusyFor;
  busy_until.store(now + time, sync::relaxed);
}

// A thread that did not run from `since` on may have made room for another thread of this program:
// then the machine is not busy.
bool was_crowded(std::uint64_t since) noexcept {
  return too_many_awake() || crowded_at.load(sync::relaxed) >= since;
}

// How long this thread has waited for a processor in its life; 0 if the kernel does not say.
std::uint64_t waited_ns() noexcept {
  const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[80] = {};
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  char* rest = text;
  if (length > 0) std::strtoull(text, &rest, 10);  // how long it ran
  return std::strtoull(rest, nullptr, 10);
}

// Has this thread waited long for a processor since the last call, because of other programs? Time
// that the kernel itself takes for a moment does not count.
bool was_kept_waiting(std::uint64_t now) noexcept {
  static thread_local std::uint64_t seen = ~std::uint64_t{0};
  static thread_local std::uint64_t looked = 0;
  const std::uint64_t since = std::exchange(looked, now);
  const std::uint64_t waited = waited_ns();
  const std::uint64_t before = std::exchange(seen, waited);
  return waited > before && waited - before > kLongWaitNs && !was_crowded(since);
}

// How much of the processors this program has used lately, as seen by a thread that lets others run
// again and again.
class Watch {
 public:
  // Begins anew, unless it began a moment ago.
  void begin(std::uint64_t now) noexcept {
    if (now - began_ticks_ < kBusyFor) return;
    began_ticks_ = now;
    began_ns_ = plat::now_ns();
    used_ns_ = used_by_program();
  }
  // Had other programs a good part of the processors?
  [[nodiscard]] bool others_ran() const noexcept {
    const std::uint64_t could = (plat::now_ns() - began_ns_) * processor_count();
    return 4 * (used_by_program() - used_ns_) < 3 * could;
  }

 private:
  static std::uint64_t used_by_program() noexcept {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(time.tv_nsec);
  }

  std::uint64_t began_ticks_ = 0;
  std::uint64_t began_ns_ = 0;
  std::uint64_t used_ns_ = 0;
};
constinit thread_local Watch watch;

std::uint64_t limit_of(const Patience& patience, std::uint64_t now) noexcept {
  if (settings.has_spin_count) return settings.spin_count;  // a turn takes some ticks more
  if (settings.wait_policy == 0) return 0;
  if (settings.wait_policy == 1 && !too_many_awake()) return ~std::uint64_t{0};
  if (now < busy_until.load(sync::relaxed)) return 0;
  return patience.limit_ticks;
}

}  // namespace

Spin::Spin(Patience& patience) noexcept
    : patience_(patience),
      start_(plat::ticks()),
      last_(start_),
      limit_(limit_of(patience, start_)) {
  if (limit_ != 0 && too_many_awake()) watch.begin(start_);
}

bool Spin::turn() noexcept {
  if (limit_ == 0) return false;
  const bool yields = too_many_awake();
  if (yields) {
    sched_yield();
  } else {
    sync::spin_pause();
  }
  const std::uint64_t now = plat::ticks();
  const std::uint64_t gap = now - last_;
  if (yields) {
    // Threads of this program ran, or others that do not wait for anything.
    if (gap > kSlice && watch.others_ran()) busy_until.store(now + kOthersFor, sync::relaxed);
    // Even a thread that is to wait actively lets the others have the processor in the end.
    if (gap > kSlice || now - start_ > kMostSpin) return false;
  } else if (gap > kInterrupted) {
    if (!was_crowded(last_)) note_busy(now, gap);
    if (settings.wait_policy < 0) return false;
  }
  last_ = now;
  if (now - start_ < limit_) return true;
  if (was_kept_waiting(now)) note_busy(now, kBusyFor);
  return false;
}

void Spin::has_slept() noexcept {
  const std::uint64_t took = plat::ticks() - start_;
  if (took < kMostSpin) {
    patience_.limit_ticks = 2 * took < kLeastSpin ? kLeastSpin : 2 * took;
  } else if (patience_.limit_ticks > 2 * kLeastSpin) {
    patience_.limit_ticks /= 2;
  }
}

bool too_many_awake() noexcept {
  return awake.load(sync::relaxed) > static_cast<int>(processor_count());
}

void count_awake(int change) noexcept {
  awake.fetch_add(change, sync::relaxed);
  if (change > 0 && too_many_awake()) crowded_at.store(plat::ticks(), sync::relaxed);
}
void count_awake_in_child() noexcept { awake.store(1, sync::relaxed); }

void nap_while(const sync::Atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  sync::futex_wait_for(word, value, kNapNs);
}

bool has_free_processor() noexcept {
  return awake.load(sync::relaxed) < static_cast<int>(processor_count());
}

}  // namespace myr::omp
