// SPDX-License-Identifier: Apache-2.0
//
// Input for Jacobi's iteration on a grid whose border is zero, of which the result after any
// number of steps is known in closed form: products of sines. The mean of a grid point's four
// neighbours in such a product is the product itself times its eigenvalue.
//
// Threads: any, once made.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace kernels {

class SineModes {
 public:
  static constexpr std::size_t kCount = 3;

  // For a grid of so many points inside the border. One mode is smooth, one is not, and one changes
  // its sign from point to point, so that no mistake is hidden.
  SineModes(std::size_t rows, std::size_t columns) {
    const std::array<Mode, kCount> modes = {
        {{1, 2, 0.5}, {rows / 4 + 1, columns / 3 + 1, 0.3}, {rows, columns - 1, 0.2}}};
    for (std::size_t m = 0; m < kCount; ++m) {
      const double row_angle = std::numbers::pi * static_cast<double>(modes[m].row_waves) /
                               static_cast<double>(rows + 1);
      const double column_angle = std::numbers::pi * static_cast<double>(modes[m].column_waves) /
                                  static_cast<double>(columns + 1);
      eigenvalues_[m] = (std::cos(row_angle) + std::cos(column_angle)) / 2;
      for (std::size_t i = 1; i <= rows; ++i) {
        rows_[m].push_back(modes[m].weight * std::sin(row_angle * static_cast<double>(i)));
      }
      for (std::size_t i = 1; i <= columns; ++i) {
        columns_[m].push_back(std::sin(column_angle * static_cast<double>(i)));
      }
    }
  }
  // For a square one.
  explicit SineModes(std::size_t n) : SineModes(n, n) {}

  [[nodiscard]] double eigenvalue(std::size_t mode) const { return eigenvalues_[mode]; }
  // The sum of all modes at a point, each times its factor.
  [[nodiscard]] double at(std::size_t row, std::size_t column,
                          const std::array<double, kCount>& factors) const {
    double sum = 0;
    for (std::size_t m = 0; m < kCount; ++m)
      sum += factors[m] * rows_[m][row] * columns_[m][column];
    return sum;
  }

 private:
  struct Mode {
    std::size_t row_waves;  // half waves
    std::size_t column_waves;
    double weight;
  };
  std::array<double, kCount> eigenvalues_{};
  std::array<std::vector<double>, kCount> rows_;
  std::array<std::vector<double>, kCount> columns_;
};

}  // namespace kernels
