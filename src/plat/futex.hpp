// SPDX-License-Identifier: Apache-2.0
//
// Sleeping on a 32-bit word of this process until another thread wakes the sleepers (Linux futex).
// The word is an atomic of the caller; this layer names no atomics, so it takes the address.
#pragma once

#include <cstdint>

namespace myr::plat {

inline constexpr std::uint64_t kNoTimeout = ~std::uint64_t{0};

// Sleeps if *word == expected, which the kernel checks atomically with going to sleep. May return
// without a wake-up: look at the word again. Returns false only if `timeout_ns` has passed.
bool futex_wait(const void* word, std::uint32_t expected,
                std::uint64_t timeout_ns = kNoTimeout) noexcept;

// Wakes at most `count` of the threads that sleep on `word`. Cost: a system call.
void futex_wake(const void* word, unsigned count) noexcept;

// The same with a word in memory that several processes have in common. A sleeper has kinds, a bit
// each, and all are woken that have one of those asked for.
bool futex_wait_processes(const void* word, std::uint32_t expected, std::uint64_t timeout_ns,
                          std::uint32_t kinds) noexcept;
void futex_wake_processes(const void* word, std::uint32_t kinds) noexcept;

}  // namespace myr::plat
