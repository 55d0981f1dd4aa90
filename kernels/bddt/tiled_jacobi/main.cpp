// SPDX-License-Identifier: Apache-2.0
//
// Jacobi's iteration in tiles, with and without tasks, from a start of which the outcome is known.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "bddt/tiled_jacobi/tiled_jacobi.h"
#include "common/blocks.hpp"
#include "common/program.hpp"
#include "common/sine_modes.hpp"

namespace {

constexpr double kStepError = 1e-7;  // of a float in a step

struct Grid {
  Grid(std::size_t tile_count, std::size_t side, std::size_t steps)
      : even(tile_count * tile_count, side * side),
        odd(tile_count * tile_count, side * side),
        program{tile_count, side, steps, {even.data(), odd.data()}} {}
  [[nodiscard]] std::size_t size() const { return program.tile_count * program.side; }
  [[nodiscard]] const kernels::Blocks<float>& result() const {
    return program.steps % 2 == 0 ? even : odd;
  }
  [[nodiscard]] float& at(const kernels::Blocks<float>& tiles, std::size_t row,
                          std::size_t column) const {
    const std::size_t side = program.side;
    return tiles[row / side * program.tile_count + column / side]
                [row % side * side + column % side];
  }
  kernels::Blocks<float> even;
  kernels::Blocks<float> odd;
  tiled_jacobi program;
};

void fill(const Grid& grid, const kernels::SineModes& modes) {
  for (std::size_t i = 0; i < grid.size(); ++i) {
    for (std::size_t j = 0; j < grid.size(); ++j) {
      grid.at(grid.even, i, j) = static_cast<float>(modes.at(i, j, {1, 1, 1}));
    }
  }
  grid.odd.fill(std::numeric_limits<float>::quiet_NaN());
}

// A step multiplies each mode by its eigenvalue.
std::string verify(const Grid& grid, const kernels::SineModes& modes) {
  const auto steps = static_cast<double>(grid.program.steps);
  std::array<double, kernels::SineModes::kCount> factors{};
  for (std::size_t m = 0; m < factors.size(); ++m) {
    factors[m] = std::pow(modes.eigenvalue(m), steps);
  }
  return kernels::find_wrong(grid.size(), grid.size(), [&](std::size_t row, std::size_t column) {
    const double number = grid.at(grid.result(), row, column);
    return std::abs(number - modes.at(row, column, factors)) <= kStepError * (steps + 1);
  });
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("tiled_jacobi", "Jacobi's iteration, a task for each tile in each step");
  std::size_t size = 4096;
  std::size_t task = 512;
  std::size_t steps = 16;
  program.option("size", size, {TILE_STEP, 32768}, "rows of the grid, a multiple of the tile's");
  program.option("task", task, {TILE_STEP, TILE_SIDE_MAX}, "rows of a tile, a multiple of 4");
  program.option("steps", steps, {1, 100000}, "steps of the iteration");
  program.named("4K-512x512", "--size 4096 --task 512 --steps 16");
  program.parse(argc, argv);
  program.require(task % TILE_STEP == 0, "--task must be a multiple of 4");
  program.require(size % task == 0, "--size must be a multiple of --task");

  const kernels::SineModes modes(size);
  Grid expected(size / task, task, steps);
  Grid result(size / task, task, steps);
  return program.run({
      .prepare = [&] { fill(expected, modes), fill(result, modes); },
      .serial = [&] { tiled_jacobi_serial(&expected.program); },
      .parallel = [&] { tiled_jacobi_tasks(&result.program); },
      .same = [&] { return result.result().same_bits(expected.result()); },
      .verify = [&] { return verify(result, modes); },
  });
}
