// SPDX-License-Identifier: Apache-2.0
//
// The only door to atomics. Atomic<T> is std::atomic<T>; in a model test (MYR_MODEL) it is the
// explorer's, which searches interleavings and weak-memory outcomes of the same code. Every
// operation names its order.
//
// Shared data that is not atomic, because other accesses order it, is declared Plain<T>: T itself,
// or in a model test a T whose data races are found.
#pragma once

#include <cstdint>

#ifdef MYR_MODEL
#include "explore/atomic.hpp"
#else
#include <atomic>

#include "plat/clock.hpp"
#include "plat/futex.hpp"
#include "plat/this_cpu.hpp"
#endif

namespace myr::sync {

#ifdef MYR_MODEL
using Order = explore::Order;
#else
using Order = std::memory_order;
#endif
inline constexpr Order relaxed = Order::relaxed;
inline constexpr Order acquire = Order::acquire;
inline constexpr Order release = Order::release;
inline constexpr Order acq_rel = Order::acq_rel;
inline constexpr Order seq_cst = Order::seq_cst;

#ifdef MYR_MODEL

template <class T>
using Atomic = explore::Atomic<T>;
template <class T>
using Plain = explore::Plain<T>;
using explore::futex_wait;
using explore::futex_wake;
// Time passes at will: a wait that ends by itself does so at once.
inline bool futex_wait_for(const Atomic<std::uint32_t>&, std::uint32_t, std::uint64_t) noexcept {
  explore::yield();
  return false;
}
inline void spin_pause() noexcept { explore::yield(); }
inline unsigned this_cpu() noexcept { return 0; }
inline std::uint64_t ticks() noexcept { return 0; }

#else

template <class T>
using Atomic = std::atomic<T>;
template <class T>
using Plain = T;

// Sleeps while `word` is `expected`. May return without a wake-up.
inline void futex_wait(const Atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  plat::futex_wait(&word, expected);
}
// The same for at most so long. False: the time is over.
inline bool futex_wait_for(const Atomic<std::uint32_t>& word, std::uint32_t expected,
                           std::uint64_t timeout_ns) noexcept {
  return plat::futex_wait(&word, expected, timeout_ns);
}
// Wakes at most `count` threads that sleep on `word`. Cost: a system call.
inline void futex_wake(const Atomic<std::uint32_t>& word, unsigned count) noexcept {
  plat::futex_wake(&word, count);
}
// To be called in each turn of a loop that waits for another thread.
inline void spin_pause() noexcept { plat::cpu_relax(); }
using plat::this_cpu;
using plat::ticks;

#endif

}  // namespace myr::sync
