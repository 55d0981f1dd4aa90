// SPDX-License-Identifier: Apache-2.0
#include "harness/core_clock.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace myr::bench {
namespace {

constexpr unsigned kAddsPerLoop = 100;  // the `.rept` below
constexpr unsigned kLoops = 4'000;
constexpr unsigned kRepeats = 9;

// Executes kLoops * kAddsPerLoop additions, each of which needs the result of the one before. The
// addend is a register: recent x86 cores fold additions of small constants away. The loop's own
// counter is off the chain, so it costs nothing.
void add_in_a_chain() noexcept {
  std::uint64_t sum = 0;
  const std::uint64_t addend = 1;
  for (unsigned loop = 0; loop < kLoops; ++loop) {
#if defined(__x86_64__)
    asm volatile(".rept 100\n add %1, %0\n .endr" : "+r"(sum) : "r"(addend) : "cc");
#elif defined(__aarch64__) || defined(__riscv)
    asm volatile(".rept 100\n add %0, %0, %1\n .endr" : "+r"(sum) : "r"(addend));
#else
#error "write the chain of additions for this processor"
#endif
  }
}

}  // namespace

std::int64_t now_ns() noexcept {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_start).count();
}

double core_ghz() noexcept {
  std::int64_t fastest_ns = std::numeric_limits<std::int64_t>::max();
  for (unsigned repeat = 0; repeat < kRepeats; ++repeat) {
    const std::int64_t start = now_ns();
    add_in_a_chain();
    fastest_ns = std::min(fastest_ns, now_ns() - start);
  }
  return double{kAddsPerLoop} * kLoops / static_cast<double>(fastest_ns);
}

}  // namespace myr::bench
