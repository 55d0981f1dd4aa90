// SPDX-License-Identifier: Apache-2.0
//
// Power iteration: a sparse matrix times a vector, and norms, step by step.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <myr/myr.hpp>
#include <vector>

// Row r has the values and columns from begins[r] to begins[r + 1].
struct Matrix {
  std::vector<std::size_t> begins, columns;
  std::vector<double> values;
};

Matrix make(std::size_t size) {
  Matrix matrix;
  for (std::size_t row = 0; row < size; ++row) {
    matrix.begins.push_back(matrix.columns.size());
    for (const std::size_t column : {row, (row * 7 + 1) % size, (row * row + 3) % size}) {
      matrix.columns.push_back(column);
      matrix.values.push_back(column == row ? 4.0 : 1.0);
    }
  }
  matrix.begins.push_back(matrix.columns.size());
  return matrix;
}

int main() {
  constexpr std::size_t kSize = 50'000;
  const Matrix matrix = make(kSize);
  std::vector<double> x(kSize), y(kSize);
  for (std::size_t row = 0; row < kSize; ++row) x[row] = static_cast<double>(row % 10);
  double square = 0;
  const auto rows = myr::range(kSize);
  for (int step = 0; step < 20; ++step) {
    myr::for_each(rows, myr::in(matrix), myr::in(x), myr::out(y, myr::part),
                  [](auto row, const Matrix& a, const std::vector<double>& from, auto to) {
                    double sum = 0;
                    for (std::size_t k = a.begins[row]; k < a.begins[row + 1]; ++k) {
                      sum += a.values[k] * from[a.columns[k]];
                    }
                    to[row] = sum;
                  });
    myr::spawn([](double& s) { s = 0; }, myr::out(square));
    myr::reduce_each(rows, myr::reduce(square, std::plus<>()), myr::in(y, myr::part),
                     [](auto row, auto from) { return from[row] * from[row]; });
    myr::for_each(
        rows, myr::in(square), myr::in(y, myr::part), myr::out(x, myr::part),
        [](auto row, const double& s, auto from, auto to) { to[row] = from[row] / std::sqrt(s); });
  }
  myr::wait_all();
  std::printf("largest eigenvalue about %.6f\n", std::sqrt(square));
}
