// SPDX-License-Identifier: Apache-2.0
//
// The Cholesky kernel: options, input, both versions and the checks. See README.md.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <myr/myr.hpp>
#include <string>
#include <vector>

#include "cholesky/matrix.hpp"
#include "cholesky/tile.hpp"
#include "common/program.hpp"
#include "common/random.hpp"

namespace {

using cholesky::Matrix;

constexpr double kResidualMax = 1;  // in units of n ||A|| epsilon; typical values are below 0.01

// The input, symmetric and positive definite: numbers from -1 to 1, and n added on the diagonal.
double input_at(std::size_t row, std::size_t column, std::size_t n) {
  kernels::Random random(row * n + column);
  const double number = 2 * random.uniform() - 1;
  return row == column ? number + static_cast<double>(n) : number;
}

void fill(Matrix& m) {
  for (std::size_t i = 0; i < m.tile_count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double* tile = m.tile(i, j);
      for (std::size_t c = 0; c < m.side; ++c) {
        for (std::size_t r = 0; r < m.side; ++r) {
          const std::size_t row = i * m.side + r;
          const std::size_t column = j * m.side + c;
          // The upper half of a diagonal tile mirrors the lower one.
          tile[c * m.side + r] = input_at(std::max(row, column), std::min(row, column), m.size());
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

int main(int argc, char** argv) {
  kernels::Program program("cholesky",
                           "Tiled Cholesky factorisation, a task for each step on a tile");
  std::int64_t size = 2048;
  std::int64_t tile_side = 128;
  program.option("size", size, {16, 16384}, "rows of the matrix, a multiple of the tile's");
  program.option("task", tile_side, {16, cholesky::kSideMax}, "rows of a tile, a multiple of 16");
  program.parse(argc, argv);
  if (tile_side % cholesky::kSideStep != 0) program.refuse("--task must be a multiple of 16");
  if (size % tile_side != 0) program.refuse("--size must be a multiple of --task");

  const auto side = static_cast<std::size_t>(tile_side);
  const std::size_t tile_count = static_cast<std::size_t>(size) / side;
  Matrix expected(tile_count, side);
  std::vector<std::vector<double>> plain_tiles(expected.tiles.size(),
                                               std::vector<double>(side * side));
  for (std::size_t i = 0; i < plain_tiles.size(); ++i) expected.tiles[i] = plain_tiles[i].data();

  Matrix result(tile_count, side);
  const myr::Region region = myr::Region::create();
  for (double*& tile : result.tiles) tile = region.make_array<double>(side * side);

  const int status = program.run({
      .prepare = [&] { fill(expected), fill(result); },
      .serial = [&] { cholesky::factor_serial(expected); },
      .parallel = [&] { return cholesky::factor_tasks(result); },
      .same = [&] { return same_bits(result, expected); },
      .verify = [&] { return verify(result); },
  });
  region.free();
  return status;
}
