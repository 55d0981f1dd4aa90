// SPDX-License-Identifier: Apache-2.0
//
// Poisson's equation by Jacobi's iteration, with and without tasks, with a source for which every
// guess is known in closed form.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "common/blocks.hpp"
#include "common/program.hpp"
#include "common/sine_modes.hpp"
#include "picos/poisson/poisson.h"

namespace {

constexpr double kStepError = 1e-15;  // of a number in a step

struct Sizes {
  std::size_t rows;  // and columns
  std::size_t block_rows;
  std::size_t steps;
};

struct Grid {
  explicit Grid(Sizes sizes)
      : even(sizes.rows / sizes.block_rows, sizes.block_rows * sizes.rows),
        odd(even.count(), sizes.block_rows * sizes.rows),
        source(even.count(), sizes.block_rows * sizes.rows),
        program{even.count(),        sizes.block_rows,          sizes.rows,
                sizes.steps,         {even.data(), odd.data()}, source.data(),
                source.region().id()} {}
  [[nodiscard]] const kernels::Blocks<double>& result() const {
    return program.steps % 2 == 0 ? even : odd;
  }
  [[nodiscard]] double& at(const kernels::Blocks<double>& blocks, std::size_t row,
                           std::size_t column) const {
    return blocks[row / program.block_rows][row % program.block_rows * program.columns + column];
  }
  kernels::Blocks<double> even;
  kernels::Blocks<double> odd;
  kernels::Blocks<double> source;
  poisson program;
};

void fill(const Grid& grid, const kernels::SineModes& modes) {
  for (std::size_t i = 0; i < grid.program.columns; ++i) {
    for (std::size_t j = 0; j < grid.program.columns; ++j) {
      grid.at(grid.source, i, j) = modes.at(i, j, {1, 1, 1});
    }
  }
  grid.even.fill(0);
  grid.odd.fill(std::numeric_limits<double>::quiet_NaN());
}

// A step multiplies each mode of the guess by its eigenvalue and adds it once: a geometric series.
std::string verify(const Grid& grid, const kernels::SineModes& modes) {
  const auto steps = static_cast<double>(grid.program.steps);
  std::array<double, kernels::SineModes::kCount> factors{};
  for (std::size_t m = 0; m < factors.size(); ++m) {
    const double eigenvalue = modes.eigenvalue(m);
    factors[m] = (1 - std::pow(eigenvalue, steps)) / (1 - eigenvalue);
  }
  const double tolerance = kStepError * (steps + 100) * factors[0];
  return kernels::find_wrong(
      grid.program.columns, grid.program.columns, [&](std::size_t row, std::size_t column) {
        const double number = grid.at(grid.result(), row, column);
        return std::abs(number - modes.at(row, column, factors)) <= tolerance;
      });
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("poisson",
                           "Poisson's equation by Jacobi's iteration, a task for a block of rows");
  std::size_t size = 512;
  std::size_t task = 1;
  std::size_t steps = 100;
  program.option("size", size, {ROW_STEP, COLUMNS_MAX}, "rows and columns, a multiple of 8");
  program.option("task", task, {1, COLUMNS_MAX}, "rows of a block");
  program.option("steps", steps, {1, 100000}, "steps of the iteration");
  program.named("N128-B1", "--size 128 --task 1");
  program.named("N256-B1", "--size 256 --task 1");
  program.named("N512-B1", "--size 512 --task 1");
  program.parse(argc, argv);
  program.require(size % ROW_STEP == 0, "--size must be a multiple of 8");
  program.require(size % task == 0, "--size must be a multiple of --task");

  const kernels::SineModes modes(size);
  Grid expected({.rows = size, .block_rows = task, .steps = steps});
  Grid result({.rows = size, .block_rows = task, .steps = steps});
  return program.run({
      .prepare = [&] { fill(expected, modes), fill(result, modes); },
      .serial = [&] { poisson_serial(&expected.program); },
      .parallel = [&] { poisson_tasks(&result.program); },
      .same = [&] { return result.result().same_bits(expected.result()); },
      .verify = [&] { return verify(result, modes); },
  });
}
