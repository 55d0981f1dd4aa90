// SPDX-License-Identifier: Apache-2.0
//
// Small random numbers and hashing (the splitmix64 step), the same on every platform and library.
#pragma once

#include <cstdint>

namespace myr::random_test {

[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t z = a + 0x9E3779B97F4A7C15u + b * 0xD6E8FEB86659FD93u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) noexcept : state_(mix(seed, 0)) {}
  constexpr std::uint64_t next() noexcept {
    state_ += 0x9E3779B97F4A7C15u;
    return mix(state_, 1);
  }
  // 0 .. bound - 1. REQUIRES: bound > 0.
  constexpr unsigned below(unsigned bound) noexcept {
    return static_cast<unsigned>(next() % bound);
  }
  constexpr bool chance(unsigned percent) noexcept { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace myr::random_test
