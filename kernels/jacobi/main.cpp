// SPDX-License-Identifier: Apache-2.0
//
// The Jacobi kernel: options, input, both versions, the check, and a field for the picture. See
// README.md.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

#include "common/program.hpp"
#include "common/sine_modes.hpp"
#include "jacobi/grid.h"

namespace {

constexpr double kErrorMax = 1e-5;  // numbers lie between -2 and 2, in single precision

// What the table holds after some iterations, in closed form: a harmonic function, which every
// iteration preserves, and inside the border waves, each of which an iteration multiplies by a
// factor.
class Solution {
 public:
  Solution(int size, int iterations) : last_(size - 1), waves_(static_cast<std::size_t>(size - 2)) {
    for (std::size_t i = 0; i < factors_.size(); ++i) {
      factors_[i] = std::pow(waves_.eigenvalue(i), iterations);
    }
  }

  [[nodiscard]] double at(int row, int column) const {
    const double x = static_cast<double>(column) / last_;
    const double y = static_cast<double>(row) / last_;
    const double harmonic = x * x - y * y + x * y;
    if (row == 0 || column == 0 || row == last_ || column == last_) return harmonic;
    return harmonic + waves_.at(static_cast<std::size_t>(row - 1),
                                static_cast<std::size_t>(column - 1), factors_);
  }

 private:
  int last_;
  kernels::SineModes waves_;
  std::array<double, kernels::SineModes::kCount> factors_{};
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
  if (!plate.empty()) {
    const int status = write_plate(result, side, plate);
    jacobi_free(&result);
    return status;
  }
  jacobi_allocate(&expected);

  const Solution start(side, 0);
  const Solution end(side, expected.iterations);
  const auto initial = [&](int row, int column) { return start.at(row, column); };
  const auto part_tasks = static_cast<std::uint64_t>(part_count * (1 + expected.tile_count));
  const int status = program.run({
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
  jacobi_free(&expected);
  jacobi_free(&result);
  return status;
}
