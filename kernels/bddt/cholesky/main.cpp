// SPDX-License-Identifier: Apache-2.0
//
// The Cholesky kernel: options, input, both versions and the checks. See README.md.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "bddt/cholesky/cholesky.h"
#include "common/blocks.hpp"
#include "common/program.hpp"
#include "common/random.hpp"

namespace {

constexpr double kResidualMax = 1;  // in units of n ||A|| epsilon; typical values are below 0.01

struct Matrix {
  Matrix(std::size_t tile_count, std::size_t side)
      : tiles(tile_count * (tile_count + 1) / 2, side * side),
        program{tile_count, side, tiles.data()} {}
  [[nodiscard]] std::size_t size() const { return program.tile_count * program.side; }
  // REQUIRES: column <= row.
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    const std::size_t side = program.side;
    return tile_at(&program, row / side, column / side)[column % side * side + row % side];
  }
  kernels::Blocks<double> tiles;
  cholesky program;
};

// The input, symmetric and positive definite: numbers from -1 to 1, and n added on the diagonal.
double input_at(std::size_t row, std::size_t column, std::size_t n) {
  kernels::Random random(row * n + column);
  const double number = 2 * random.uniform() - 1;
  return row == column ? number + static_cast<double>(n) : number;
}

void fill(const Matrix& m) {
  const std::size_t side = m.program.side;
  for (std::size_t i = 0; i < m.program.tile_count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double* tile = tile_at(&m.program, i, j);
      for (std::size_t c = 0; c < side; ++c) {
        for (std::size_t r = 0; r < side; ++r) {
          const std::size_t row = i * side + r;
          const std::size_t column = j * side + c;
          // The upper half of a diagonal tile mirrors the lower one.
          tile[c * side + r] = input_at(std::max(row, column), std::min(row, column), m.size());
        }
      }
    }
  }
}

bool same_bits(const Matrix& a, const Matrix& b) {
  for (std::size_t row = 0; row < a.size(); ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      const double left = a.at(row, column);
      const double right = b.at(row, column);
      if (std::memcmp(&left, &right, sizeof left) != 0) return false;
    }
  }
  return true;
}

// ||A - L L^T|| / (n ||A|| epsilon) in the Frobenius norm over the lower half.
double residual(const Matrix& l) {
  const std::size_t n = l.size();
  std::vector<double> columns(n * n);  // of L, side by side
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      columns[column * n + row] = l.at(row, column);
    }
  }
  double norm = 0;
  double error = 0;
  std::vector<double> rest(n);
  for (std::size_t column = 0; column < n; ++column) {
    for (std::size_t row = column; row < n; ++row) {
      rest[row] = input_at(row, column, n);
      norm += rest[row] * rest[row];
    }
    for (std::size_t k = 0; k <= column; ++k) {
      const double factor = columns[k * n + column];
      for (std::size_t row = column; row < n; ++row) rest[row] -= columns[k * n + row] * factor;
    }
    for (std::size_t row = column; row < n; ++row) error += rest[row] * rest[row];
  }
  return std::sqrt(error / norm) /
         (static_cast<double>(n) * std::numeric_limits<double>::epsilon());
}

std::string verify(const Matrix& l) {
  const double value = residual(l);
  // Written so that a value that is not a number fails, too.
  return value <= kResidualMax ? "" : "the residual is " + std::to_string(value);
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("cholesky",
                           "Tiled Cholesky factorisation, a task for each step on a tile");
  std::size_t size = 2048;
  std::size_t task = 128;
  std::string interface = "pragmas";
  std::string steps = "own";
  program.option("size", size, {TILE_STEP, 16384}, "rows of the matrix, a multiple of the tile's");
  program.option("task", task, {TILE_STEP, TILE_SIDE_MAX}, "rows of a tile, a multiple of 16");
  program.choice("interface", interface, {"pragmas", "closures"}, "how the tasks are written");
  program.choice("steps", steps, {"own", "openblas"}, "whose steps on a tile");
  program.named("2K-128x128", "--size 2048 --task 128");
  program.parse(argc, argv);
  program.require(task % TILE_STEP == 0, "--task must be a multiple of 16");
  program.require(size % task == 0, "--size must be a multiple of --task");
  if (steps == "openblas" && !factor_by_openblas()) program.refuse("OpenBLAS is not installed");

  const auto parallel = interface == "pragmas" ? cholesky_tasks : cholesky_closures;
  Matrix expected(size / task, task);
  Matrix result(size / task, task);
  return program.run({
      .prepare = [&] { fill(expected), fill(result); },
      .serial = [&] { cholesky_serial(&expected.program); },
      .parallel = [&] { parallel(&result.program); },
      .same = [&] { return same_bits(result, expected); },
      .verify = [&] { return verify(result); },
  });
}
