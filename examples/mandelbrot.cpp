// SPDX-License-Identifier: Apache-2.0
//
// From docs/tutorial/8-clusters.md: rows of a picture, which any process may compute.
#include <array>
#include <cstddef>
#include <cstdio>
#include <myr/myr.hpp>

constexpr std::size_t kWidth = 300, kHeight = 200;
constexpr int kMost = 500;
using Row = std::array<int, kWidth>;

void compute(std::size_t y, Row* row) {
  const double b = 2.0 * static_cast<double>(y) / kHeight - 1;
  for (std::size_t x = 0; x < kWidth; ++x) {
    const double a = 3.0 * static_cast<double>(x) / kWidth - 2;
    double re = 0;
    double im = 0;
    int steps = 0;
    for (; steps < kMost && re * re + im * im < 4; ++steps) {
      const double next = re * re - im * im + a;
      im = 2 * re * im + b;
      re = next;
    }
    (*row)[x] = steps;
  }
}

int main() {
  myr::OwnedRegion picture;  // what is in a region goes to where tasks need it
  std::array<Row*, kHeight> rows{};
  for (std::size_t y = 0; y < kHeight; ++y) {
    rows[y] = picture.make<Row>();
    myr::spawn(compute, y, myr::out(rows[y]));
  }
  int inside = 0;
  for (Row* const row : rows) {
    myr::wait(myr::in(row));  // for this row alone; then it is here
    for (const int steps : *row) inside += steps == kMost;
  }
  std::printf("%d of %zu points are inside\n", inside, kWidth * kHeight);
}
