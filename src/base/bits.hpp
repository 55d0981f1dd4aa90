// SPDX-License-Identifier: Apache-2.0
//
// Sizes and rounding.
#pragma once

#include <cstddef>
#include <cstdint>

namespace myr::base {

inline constexpr std::size_t kCacheLine = 64;

// REQUIRES: `unit` is a power of two.
[[nodiscard]] constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) noexcept {
  return (value + unit - 1) & ~(unit - 1);
}
[[nodiscard]] constexpr std::uint64_t round_down(std::uint64_t value, std::uint64_t unit) noexcept {
  return value & ~(unit - 1);
}

// Where the result does not fit, the greatest number: for what a program has given.
[[nodiscard]] constexpr std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
}

[[nodiscard]] constexpr std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
}

}  // namespace myr::base
