// SPDX-License-Identifier: Apache-2.0
//
// Multiplies two matrices in tiles, with and without tasks. The numbers are small integers, so
// that every product is exact and the check need not tolerate any error.
#include <cstdint>
#include <string>

#include "bddt/tiled_matmul/tiled_matmul.h"
#include "common/blocks.hpp"
#include "common/exact_product.hpp"
#include "common/program.hpp"

namespace {

constexpr std::uint64_t kSeed = 64;

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

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("tiled_matmul", "Matrix product, a task for each product of two tiles");
  std::size_t size = 1024;
  std::size_t task = 64;
  std::string steps = "own";
  program.option("size", size, {TILE_STEP, 16384}, "rows of a matrix, a multiple of the tile's");
  program.option("task", task, {TILE_STEP, 4096}, "rows of a tile, a multiple of 16");
  program.choice("steps", steps, {"own", "openblas"}, "whose product of two tiles");
  program.named("1K-64x64", "--size 1024 --task 64");
  program.parse(argc, argv);
  program.require(task % TILE_STEP == 0, "--task must be a multiple of 16");
  program.require(size % task == 0, "--size must be a multiple of --task");
  if (steps == "openblas" && !multiply_by_openblas()) program.refuse("OpenBLAS is not installed");

  const std::size_t tiles = size / task;
  Matrix a(tiles, task);
  Matrix b(tiles, task);
  Matrix expected(tiles, task);
  Matrix result(tiles, task);
  kernels::fill_with_whole_numbers(a, kSeed);
  kernels::fill_with_whole_numbers(b, kSeed + 1);
  const auto product_into = [&](Matrix& c) {
    return tiled_matmul{tiles,
                        task,
                        a.tiles.data(),
                        b.tiles.data(),
                        c.tiles.data(),
                        {a.tiles.region().id(), b.tiles.region().id()},
                        c.tiles.region().id()};
  };
  tiled_matmul plain = product_into(expected);
  tiled_matmul tasks = product_into(result);
  return program.run({
      .prepare = [&] { expected.tiles.fill(0), result.tiles.fill(0); },
      .serial = [&] { tiled_matmul_serial(&plain); },
      .parallel = [&] { tiled_matmul_tasks(&tasks); },
      .same = [&] { return result.tiles.same_bits(expected.tiles); },
      .verify = [&] { return kernels::check_product(a, b, result); },
  });
}
