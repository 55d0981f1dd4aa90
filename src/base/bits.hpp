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

}  // namespace myr::base
