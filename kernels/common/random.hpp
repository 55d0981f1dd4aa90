// SPDX-License-Identifier: Apache-2.0
//
// Random numbers that are the same on every computer and with every library: SplitMix64 (Steele,
// Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
#pragma once

#include <cstdint>

namespace kernels {

// Scrambles a number: a good 64-bit hash.
[[nodiscard]] constexpr std::uint64_t scramble(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_(seed) {}

  [[nodiscard]] constexpr std::uint64_t next() noexcept {
    state_ += 0x9e3779b97f4a7c15U;
    return scramble(state_);
  }
  // From 0 inclusive to 1 exclusive.
  [[nodiscard]] constexpr double uniform() noexcept {
    return static_cast<double>(next() >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

}  // namespace kernels
