// SPDX-License-Identifier: Apache-2.0
//
// Square matrices of small whole numbers, whose product is exact in any order of sums; and a check
// of such a product that is much cheaper than another product. A Matrix has size(), and at(row,
// column) gives a float.
//
// Threads: any, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/random.hpp"

namespace kernels {

// Between -max and max.
[[nodiscard]] inline std::int64_t whole_number(Random& random, std::int64_t max) {
  return static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(2 * max + 1)) - max;
}

template <class Matrix>
void fill_with_whole_numbers(const Matrix& matrix, std::uint64_t seed) {
  constexpr std::int64_t kNumberMax = 8;  // so that sums stay below 2^24 up to 16384 rows
  Random random(seed);
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    for (std::size_t column = 0; column < matrix.size(); ++column) {
      matrix.at(row, column) = static_cast<float>(whole_number(random, kNumberMax));
    }
  }
}

// M x; nothing if a number of M is not whole.
template <class Matrix>
[[nodiscard]] std::vector<std::int64_t> times(const Matrix& m, const std::vector<std::int64_t>& x) {
  std::vector<std::int64_t> product(m.size(), 0);
  for (std::size_t row = 0; row < m.size(); ++row) {
    for (std::size_t column = 0; column < m.size(); ++column) {
      const float number = m.at(row, column);
      const auto whole = static_cast<std::int64_t>(number);
      if (static_cast<float>(whole) != number) return {};
      product[row] += whole * x[column];
    }
  }
  return product;
}

// Freivalds: C x = A (B x) for random x. A wrong C passes a probe with a chance of 1 in 2^16.
// Returns what is wrong, or nothing.
template <class Matrix>
[[nodiscard]] std::string check_product(const Matrix& a, const Matrix& b, const Matrix& c) {
  constexpr int kProbes = 3;
  Random random(1977);
  for (int probe = 0; probe < kProbes; ++probe) {
    std::vector<std::int64_t> x(a.size());
    for (std::int64_t& number : x) number = whole_number(random, 1 << 15);
    if (times(c, x) != times(a, times(b, x))) return "C x is not A (B x)";
  }
  return "";
}

}  // namespace kernels
