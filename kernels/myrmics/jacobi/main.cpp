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
#include <string>
#include <vector>

#include "chip/place_data.hpp"
#include "common/files.hpp"
#include "common/program.hpp"
#include "common/sine_modes.hpp"
#include "myrmics/jacobi/grid.h"

namespace {

constexpr double kErrorMax = 1e-5;  // numbers lie between -2 and 2, in single precision

// What the table holds after some iterations, in closed form: a harmonic function, which every
// iteration preserves, and inside the border waves, each of which an iteration multiplies by a
// factor.
class Solution {
 public:
  Solution(int rows, int columns, int iterations)
      : last_row_(rows - 1),
        last_column_(columns - 1),
        waves_(static_cast<std::size_t>(rows - 2), static_cast<std::size_t>(columns - 2)) {
    for (std::size_t i = 0; i < factors_.size(); ++i) {
      factors_[i] = std::pow(waves_.eigenvalue(i), iterations);
    }
  }

  [[nodiscard]] double at(int row, int column) const {
    // In units of the longer side, so that numbers are not large.
    const double x = static_cast<double>(column) / std::max(last_row_, last_column_);
    const double y = static_cast<double>(row) / std::max(last_row_, last_column_);
    const double harmonic = x * x - y * y + x * y;
    if (row == 0 || column == 0 || row == last_row_ || column == last_column_) return harmonic;
    return harmonic + waves_.at(static_cast<std::size_t>(row - 1),
                                static_cast<std::size_t>(column - 1), factors_);
  }

 private:
  int last_row_, last_column_;
  kernels::SineModes waves_;
  std::array<double, kernels::SineModes::kCount> factors_{};
};

// The temperature of the border of the pictured plate, between 0 and 1; `angle` around its middle.
double border_heat(double angle) {
  return 0.5 + 0.3 * std::sin(3 * angle) + 0.2 * std::sin(7 * angle + 1);
}

int row_total(const jacobi& table) { return table.tile_total * table.tile_rows; }

template <class Value>
void fill(const jacobi& table, const Value& value) {
  for (int row = 0; row < row_total(table); ++row) {
    float* numbers = jacobi_row(&table, row);
    for (int column = 0; column < table.columns; ++column) {
      numbers[column] = static_cast<float>(value(row, column));
    }
  }
  jacobi_set_edges(&table);
}

void spread(const jacobi& table, std::int64_t cycles) {
  std::vector<kernels::DataPlacement> placements;
  for (int p = 0; p < table.part_count; ++p) {
    const jacobi_part& part = table.parts[p];
    placements.push_back({part.region, {}});
    for (int i = 0; i < part.tile_count; ++i) {
      const jacobi_tile& tile = part.tiles[i];
      placements.back().objects.push_back({tile.rows, tile.edges[0], tile.edges[1]});
    }
  }
  kernels::place_data(table.region, placements, cycles);
}

bool same_bits(const jacobi& a, const jacobi& b) {
  const std::size_t bytes = static_cast<std::size_t>(a.columns) * sizeof(float);
  for (int row = 0; row < row_total(a); ++row) {
    if (std::memcmp(jacobi_row(&a, row), jacobi_row(&b, row), bytes) != 0) return false;
  }
  return true;
}

std::string verify(const jacobi& table, const Solution& solution) {
  for (int row = 0; row < row_total(table); ++row) {
    const float* numbers = jacobi_row(&table, row);
    for (int column = 0; column < table.columns; ++column) {
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
void write_plate(jacobi& table, const std::string& path) {
  const int last_row = row_total(table) - 1;
  const int last_column = table.columns - 1;
  fill(table, [&](int row, int column) {
    const bool inside = row > 0 && column > 0 && row < last_row && column < last_column;
    return inside ? 0 : border_heat(std::atan2(row - last_row / 2.0, column - last_column / 2.0));
  });
  jacobi_tasks(&table);
  kernels::write_file(path, [&](std::ostream& file) {
    for (int row = 0; row <= last_row; ++row) {
      kernels::put(file, jacobi_row(&table, row), static_cast<std::size_t>(table.columns));
    }
  });
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("jacobi", "Jacobi iteration on a table with a fixed border");
  std::int64_t size = 2048;
  std::int64_t columns = 0;
  std::int64_t tile_rows = 16;
  std::int64_t part_count = 4;
  std::int64_t iterations = 16;
  std::int64_t recorded = 0;
  std::int64_t placing = 0;
  std::string plate;
  program.option("size", size, {8, 1 << 20}, "rows, a multiple of --task");
  program.option("columns", columns, {0, 1 << 20}, "columns; 0: as many as rows");
  program.option("task", tile_rows, {2, 16384}, "rows in a task");
  program.option("parts", part_count, {1, 4096}, "regions, on which the coarse tasks work");
  program.option("steps", iterations, {1, 10'000'000}, "iterations");
  program.option("recorded", recorded, {0, 1}, "1: with loops, two iterations are a recorded step");
  program.option("placing", placing, {0, 1'000'000'000},
                 "cycles of a task that places a tile, on a simulated machine");
  program.option("plate", plate, "do not measure; write a plate heated from its border");
  program.parse(argc, argv);
  if (columns == 0) columns = size;
  program.require(columns >= 8, "--columns must be 8 at least");
  program.require(size % tile_rows == 0, "--size must be a multiple of --task");
  program.require(size >= tile_rows * part_count, "--size is less than --task times --parts");

  jacobi expected{.part_count = static_cast<int>(part_count),
                  .tile_total = static_cast<int>(size / tile_rows),
                  .tile_rows = static_cast<int>(tile_rows),
                  .columns = static_cast<int>(columns),
                  .iterations = static_cast<int>(iterations),
                  .is_recorded = static_cast<int>(recorded)};
  jacobi result = expected;
  jacobi_allocate(&result);
  if (!plate.empty()) {
    write_plate(result, plate);
    jacobi_free(&result);
    return 0;
  }
  jacobi_allocate(&expected);

  const int rows = row_total(expected);
  const Solution start(rows, expected.columns, 0);
  const Solution end(rows, expected.columns, expected.iterations);
  const auto initial = [&](int row, int column) { return start.at(row, column); };
  const int status = program.run({
      .prepare =
          [&] {
            fill(expected, initial), fill(result, initial);
            spread(result, placing);
          },
      .serial = [&] { jacobi_serial(&expected); },
      .parallel = [&] { jacobi_tasks(&result); },
      .same = [&] { return same_bits(result, expected); },
      .verify = [&] { return verify(result, end); },
  });
  jacobi_free(&expected);
  jacobi_free(&result);
  return status;
}
