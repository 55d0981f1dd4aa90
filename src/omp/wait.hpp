// SPDX-License-Identifier: Apache-2.0
//
// How a thread waits: it spins while that is likely to be shorter than to sleep and to be woken,
// and not at all on a busy machine. A thread learns that the machine is busy from its own fate:
// the kernel took the processor away from it. Then nobody spins for some milliseconds. With more
// threads than processors it yields its processor at each turn, which costs a tenth of a sleep, but
// milliseconds where other programs take it: so it looks at what this one has had.
#pragma once

#include <cstdint>

#include "base/bits.hpp"
#include "base/contract.hpp"
#include "base/probes.hpp"
#include "sync/atomic.hpp"

namespace myr::omp {

// What a thread has learnt about the waits of one kind. Its owner only.
struct Patience {
  std::uint64_t limit_ticks = 200'000;
};

// The spinning part of one wait.
class Spin {
 public:
  explicit Spin(Patience& patience) noexcept;
  // Waits a moment, in which others run if more threads of the program are awake than there are
  // processors. False: go to sleep instead.
  [[nodiscard]] bool turn() noexcept;
  // When it was looked at the clock last.
  [[nodiscard]] std::uint64_t last() const noexcept { return last_; }
  // To be called when the wait is over, if it slept: the next one may be short enough to spin.
  void has_slept() noexcept;

 private:
  Patience& patience_;
  std::uint64_t start_;
  std::uint64_t last_;
  std::uint64_t limit_;
};

// When a thread takes tasks from others again. Tasks as short as a few cache misses are better left
// where they are, as a theft costs their owner more than it saves: worth it are those of 1 us.
using Steals = base::Probes<2'500, 5'000, 320'000>;

// Counts threads that can run. Any thread.
void count_awake(int change) noexcept;
// More than there are processors? A hint.
[[nodiscard]] bool too_many_awake() noexcept;
// Would another thread find a processor? A hint.
[[nodiscard]] bool has_free_processor() noexcept;
// A forked child begins with one.
void count_awake_in_child() noexcept;

// After what time thread `index` of a team with more threads than processors, which sleeps, looks
// for tasks, after so many looks in vain: the looks of 64 threads take two percent of a processor
// in the first second, and a fifth of that later.
[[nodiscard]] constexpr std::uint64_t look_ns(unsigned index, unsigned looks) noexcept {
  constexpr unsigned kMostDoublings = 5;
  return (std::uint64_t{4'000'000} * (1 + index))
         << (looks < kMostDoublings ? looks : kMostDoublings);
}

// Sleeps while a word has a value, for at most a fraction of a millisecond: for waits that are so
// rare that the thread that ends them need not know of them.
void nap_while(const sync::Atomic<std::uint32_t>& word, std::uint32_t value) noexcept;

// A lock of four bytes; zero is unlocked. Any memory that holds zeros is a lock.
class Mutex {
 public:
  // Order: a thread that locks sees what the one before wrote before unlock() [omp.mutex].
  void lock() noexcept {
    std::uint32_t free = kFree;
    // [omp.mutex]
    if (MYR_UNLIKELY(!word_.compare_exchange_strong(free, kTaken, sync::acquire, sync::relaxed))) {
      lock_slow();
    }
  }
  [[nodiscard]] bool try_lock() noexcept {
    std::uint32_t free = kFree;
    // [omp.mutex]
    return word_.compare_exchange_strong(free, kTaken, sync::acquire, sync::relaxed);
  }
  void unlock() noexcept {
    // [omp.mutex] The next holder sees what we wrote.
    if (MYR_UNLIKELY(word_.exchange(kFree, sync::release) == kWanted)) wake_one();
  }
  // For a forked child, whose other threads are gone.
  void reset() noexcept { word_.store(kFree, sync::relaxed); }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kTaken = 1;
  static constexpr std::uint32_t kWanted = 2;  // taken, and some thread sleeps, or is about to

  MYR_COLD void lock_slow() noexcept;
  MYR_COLD void wake_one() noexcept { sync::futex_wake(word_, 1); }

  sync::Atomic<std::uint32_t> word_{kFree};  // any thread [omp.mutex]
};
static_assert(sizeof(Mutex) == 4, "omp_lock_t has four bytes");

// Holds a lock until the end of the scope.
class Lock {
 public:
  explicit Lock(Mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
  ~Lock() { mutex_.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace myr::omp
