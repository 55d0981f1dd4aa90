// SPDX-License-Identifier: Apache-2.0
//
// The Jacobi kernel: options, input, both versions, the check, and a field for the picture. See
// README.md.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include "common/program.hpp"
#include "jacobi/grid.h"

namespace {

constexpr double kErrorMax = 1e-5;  // numbers lie between -3 and 3, in single precision

// What the table holds after some iterations, in closed form: a harmonic function, which every
// iteration preserves, and two waves that are zero on the border, which each iteration multiplies
// by a factor.
class Solution {
 public:
  Solution(int size, int iterations) : last_(size - 1) {
    for (std::size_t i = 0; i < kWaves.size(); ++i) {
      const double kx = frequency(kWaves[i].along_row);
      const double ky = frequency(kWaves[i].along_column);
      for (int index = 0; index < size; ++index) {
        row_sines_[i].push_back(std::sin(ky * index));
        column_sines_[i].push_back(std::sin(kx * index));
      }
      scales_[i] = kWaves[i].amplitude * std::pow((std::cos(kx) + std::cos(ky)) / 2, iterations);
    }
  }

  [[nodiscard]] double at(int row, int column) const {
    const double x = static_cast<double>(column) / last_;
    const double y = static_cast<double>(row) / last_;
    double value = x * x - y * y + x * y;
    for (std::size_t i = 0; i < kWaves.size(); ++i) {
      value += scales_[i] * row_sines_[i][static_cast<std::size_t>(row)] *
               column_sines_[i][static_cast<std::size_t>(column)];
    }
    return value;
  }

 private:
  struct Wave {
    int along_row, along_column;  // half waves a 64 numbers
    double amplitude;
  };
  static constexpr std::array<Wave, 2> kWaves{{{5, 3, 1.0}, {9, 17, 0.5}}};

  // In radians a number. Hardly depends on the size, so nor does the factor.
  [[nodiscard]] double frequency(int half_waves) const {
    return std::numbers::pi * std::max(1, half_waves * last_ / 64) / last_;
  }

  int last_;
  std::array<std::vector<double>, kWaves.size()> row_sines_, column_sines_;
  std::array<double, kWaves.size()> scales_{};
};

// The temperature of the border of the pictured plate, between 0 and 1; `angle` around its middle.
double border_heat(double angle) {
  return 0.5 + 0.3 * std::sin(3 * angle) + 0.2 * std::sin(7 * angle + 1);
}

template <class Value>
void fill(const jacobi& table, int size, const Value& value) {
  for (int row = 0; row < size; ++row) {
    for (int which = 0; which < 2; ++which) {
      float* target = jacobi_row(&table, which, row);
      for (int column = 0; column < size; ++column) {
        target[column] = which == 0 ? static_cast<float>(value(row, column)) : 0;
      }
    }
  }
}

bool same_bits(const jacobi& a, const jacobi& b, int size) {
  for (int row = 0; row < size; ++row) {
    const float* left = jacobi_row(&a, a.iterations % 2, row);
    const float* right = jacobi_row(&b, b.iterations % 2, row);
    const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(float);
    if (std::memcmp(left, right, bytes) != 0) return false;
  }
  return true;
}

std::string verify(const jacobi& table, int size, const Solution& solution) {
  for (int row = 0; row < size; ++row) {
    const float* numbers = jacobi_row(&table, table.iterations % 2, row);
    for (int column = 0; column < size; ++column) {
      const double expected = solution.at(row, column);
      // Written so that a value that is not a number fails, too.
      if (!(std::abs(numbers[column] - expected) <= kErrorMax)) {
        return fmt::format("row {}, column {} is {}, not {}", row, column, numbers[column],
                           expected);
      }
    }
  }
  return "";
}

// Warms a cold plate from its border and writes its numbers, 4 bytes each, row by row.
int write_plate(jacobi& table, int size, const std::string& path) {
  const double middle = (size - 1) / 2.0;
  fill(table, size, [&](int row, int column) {
    const bool inside = row > 0 && column > 0 && row < size - 1 && column < size - 1;
    return inside ? 0 : border_heat(std::atan2(row - middle, column - middle));
  });
  jacobi_tasks(&table);
  std::ofstream file(path, std::ios::binary);
  for (int row = 0; row < size; ++row) {
    const float* numbers = jacobi_row(&table, table.iterations % 2, row);
    file.write(reinterpret_cast<const char*>(numbers), static_cast<std::streamsize>(size) * 4);
  }
  file.close();
  if (file.good()) return 0;
  fmt::print(stderr, "cannot write {}\n", path);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  kernels::Program program("jacobi", "Jacobi iteration on a square table with a fixed border");
  std::int64_t size = 2048;
  std::int64_t tile_rows = 16;
  std::int64_t part_count = 4;
  std::int64_t iterations = 16;
  std::string plate;
  program.option("size", size, {8, 32768}, "rows and columns, a multiple of --task times --parts");
  program.option("task", tile_rows, {2, 16384}, "rows in a task");
  program.option("parts", part_count, {1, 4096}, "regions, on which the coarse tasks work");
  program.option("steps", iterations, {1, 10'000'000}, "iterations");
  program.option("plate", plate, "do not measure; write a plate heated from its border");
  program.parse(argc, argv);
  if (size % (tile_rows * part_count) != 0) {
    program.refuse("--size must be a multiple of --task times --parts");
  }

  const auto side = static_cast<int>(size);
  jacobi expected{.part_count = static_cast<int>(part_count),
                  .tile_count = static_cast<int>(size / (tile_rows * part_count)),
                  .tile_rows = static_cast<int>(tile_rows),
                  .columns = side,
                  .iterations = static_cast<int>(iterations)};
  jacobi result = expected;
  jacobi_allocate(&result);
  if (!plate.empty()) return write_plate(result, side, plate);
  jacobi_allocate(&expected);

  const Solution start(side, 0);
  const Solution end(side, expected.iterations);
  const auto initial = [&](int row, int column) { return start.at(row, column); };
  const auto part_tasks = static_cast<std::uint64_t>(part_count * (1 + expected.tile_count));
  return program.run({
      .prepare = [&] { fill(expected, side, initial), fill(result, side, initial); },
      .serial = [&] { jacobi_serial(&expected); },
      .parallel =
          [&] {
            jacobi_tasks(&result);
            return static_cast<std::uint64_t>(iterations) * part_tasks;
          },
      .same = [&] { return same_bits(result, expected, side); },
      .verify = [&] { return verify(result, side, end); },
  });
}
