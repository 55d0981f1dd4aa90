// SPDX-License-Identifier: Apache-2.0
#include "harness/core_clock.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

namespace myr::bench {
namespace {

constexpr unsigned kAddsPerLoop = 100;  // the `.rept` below
constexpr unsigned kLoops = 4'000;
constexpr std::size_t kRepeats = 9;

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
  std::array<std::int64_t, kRepeats> elapsed_ns;
  for (std::int64_t& sample : elapsed_ns) {
    const std::int64_t start = now_ns();
    add_in_a_chain();
    sample = now_ns() - start;
  }
  std::nth_element(elapsed_ns.begin(), elapsed_ns.begin() + kRepeats / 2, elapsed_ns.end());
  return double{kAddsPerLoop} * kLoops / static_cast<double>(elapsed_ns[kRepeats / 2]);
}

}  // namespace myr::bench
