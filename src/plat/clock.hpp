// SPDX-License-Identifier: Apache-2.0
//
// Time: a monotonic clock for reports, the time-stamp counter for measuring short paths, and the
// pause of a spinning thread. Any thread may call everything.
#pragma once

#include <cstdint>
#include <ctime>

namespace myr::plat {

// Nanoseconds since some fixed moment; never goes back. Cost: about 25 ns.
[[nodiscard]] inline std::uint64_t now_ns() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// A counter of constant rate, cheap and not serialising. Its unit is neither core cycles nor
// nanoseconds.
[[nodiscard]] inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return now_ns();
#endif
}

// Tells the processor that the caller spins.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace myr::plat
