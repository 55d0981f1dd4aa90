// SPDX-License-Identifier: Apache-2.0
//
// Multiplies two matrices in tiles, with and without tasks. The numbers are small integers, so
// that every product is exact and the check need not tolerate any error.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "common/blocks.hpp"
#include "common/program.hpp"
#include "common/random.hpp"
#include "tiled_matmul/tiled_matmul.h"

namespace {

constexpr std::uint64_t kSeed = 64;
constexpr std::int64_t kNumberMax = 8;  // so that sums stay below 2^24 up to 16384 rows
constexpr int kProbes = 3;

class Matrix {
 public:
  Matrix(std::size_t tile_count, std::size_t side)
      : tiles(tile_count * tile_count, side * side), tile_count_(tile_count), side_(side) {}
  [[nodiscard]] std::size_t size() const { return tile_count_ * side_; }
  [[nodiscard]] float& at(std::size_t row, std::size_t column) const {
    return tiles[row / side_ * tile_count_ + column / side_][row % side_ * side_ + column % side_];
  }
  kernels::Blocks<float> tiles;

 private:
  std::size_t tile_count_;
  std::size_t side_;
};

std::int64_t small_integer(kernels::Random& random, std::int64_t max) {
  return static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(2 * max + 1)) - max;
}

void fill(const Matrix& matrix, std::uint64_t seed) {
  kernels::Random random(seed);
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    for (std::size_t column = 0; column < matrix.size(); ++column) {
      matrix.at(row, column) = static_cast<float>(small_integer(random, kNumberMax));
    }
  }
}

// M x. A number that is no integer becomes one that no right result has.
std::vector<std::int64_t> times(const Matrix& m, const std::vector<std::int64_t>& x) {
  std::vector<std::int64_t> product(m.size(), 0);
  for (std::size_t row = 0; row < m.size(); ++row) {
    for (std::size_t column = 0; column < m.size(); ++column) {
      const float number = m.at(row, column);
      const auto integer = static_cast<std::int64_t>(number);
      if (static_cast<float>(integer) != number) return {};
      product[row] += integer * x[column];
    }
  }
  return product;
}

// Freivalds: C x = A (B x) for random x. A wrong C passes a probe with a chance of 1 in 2^16.
std::string verify(const Matrix& a, const Matrix& b, const Matrix& c) {
  kernels::Random random(kSeed + 2);
  for (int probe = 0; probe < kProbes; ++probe) {
    std::vector<std::int64_t> x(a.size());
    for (std::int64_t& number : x) number = small_integer(random, 1 << 15);
    if (times(c, x) != times(a, times(b, x))) return "C x is not A (B x)";
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  kernels::Program program("tiled_matmul", "Matrix product, a task for each product of two tiles");
  std::int64_t size = 1024;
  std::int64_t task = 64;
  std::int64_t openblas = 0;
  program.option("size", size, {TILE_STEP, 16384}, "rows of a matrix, a multiple of the tile's");
  program.option("task", task, {TILE_STEP, 4096}, "rows of a tile, a multiple of 16");
  program.option("openblas", openblas, {0, 1}, "1: let sequential OpenBLAS multiply the tiles");
  program.parse(argc, argv);
  if (task % TILE_STEP != 0) program.refuse("--task must be a multiple of 16");
  if (size % task != 0) program.refuse("--size must be a multiple of --task");
  if (openblas == 1 && !multiply_by_openblas()) program.refuse("OpenBLAS is not installed");

  const auto side = static_cast<std::size_t>(task);
  const std::size_t tiles = static_cast<std::size_t>(size / task);
  Matrix a(tiles, side);
  Matrix b(tiles, side);
  Matrix expected(tiles, side);
  Matrix result(tiles, side);
  fill(a, kSeed);
  fill(b, kSeed + 1);
  tiled_matmul plain{tiles, side, a.tiles.data(), b.tiles.data(), expected.tiles.data()};
  tiled_matmul tasks{tiles, side, a.tiles.data(), b.tiles.data(), result.tiles.data()};
  return program.run({
      .prepare = [&] { expected.tiles.fill(0), result.tiles.fill(0); },
      .serial = [&] { tiled_matmul_serial(&plain); },
      .parallel =
          [&] {
            tiled_matmul_tasks(&tasks);
            return std::uint64_t{tiles * tiles * tiles};
          },
      .same = [&] { return result.tiles.same_bits(expected.tiles); },
      .verify = [&] { return verify(a, b, result); },
  });
}
