// SPDX-License-Identifier: Apache-2.0
//
// The only door to atomics. Atomic<T> is std::atomic<T>; in a model test (MYR_MODEL) it is the
// explorer's, which searches interleavings and weak-memory outcomes of the same code. Every
// operation names its order.
//
// Shared data that is not atomic, because other accesses order it, is declared Plain<T>: T itself,
// or in a model test a T whose data races are found.
#pragma once

#include <atomic>
#include <cstdint>

#ifdef MYR_MODEL
#include "explore/atomic.hpp"
#else
#include "plat/clock.hpp"
#include "plat/futex.hpp"
#endif

namespace myr::sync {

inline constexpr std::memory_order relaxed = std::memory_order_relaxed;
inline constexpr std::memory_order acquire = std::memory_order_acquire;
inline constexpr std::memory_order release = std::memory_order_release;
inline constexpr std::memory_order acq_rel = std::memory_order_acq_rel;
inline constexpr std::memory_order seq_cst = std::memory_order_seq_cst;

#ifdef MYR_MODEL

template <class T>
using Atomic = explore::Atomic<T>;
template <class T>
using Plain = explore::Plain<T>;
using explore::futex_wait;
using explore::futex_wake;
inline void spin_pause() noexcept { explore::yield(); }

#else

template <class T>
using Atomic = std::atomic<T>;
template <class T>
using Plain = T;

// Sleeps while `word` is `expected`. May return without a wake-up.
inline void futex_wait(const Atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  plat::futex_wait(&word, expected);
}
// Wakes at most `count` threads that sleep on `word`. Cost: a system call.
inline void futex_wake(const Atomic<std::uint32_t>& word, unsigned count) noexcept {
  plat::futex_wake(&word, count);
}
// To be called in each turn of a loop that waits for another thread.
inline void spin_pause() noexcept { plat::cpu_relax(); }

#endif

}  // namespace myr::sync
