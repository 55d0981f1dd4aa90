// SPDX-License-Identifier: Apache-2.0
//
// The hierarchical matrix multiplication: options, input, both versions and the check. See
// README.md.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "chip/place_data.hpp"
#include "common/exact_product.hpp"
#include "common/program.hpp"
#include "myrmics/matrix_multiply/matrix_multiply.h"

namespace {

constexpr std::uint64_t kSeed = 2013;

struct Shape {
  std::size_t part_side, tile_side, side;
};

// Gives access to one of the matrices row by row.
class Matrix {
 public:
  explicit Matrix(const Shape& shape)
      : shape_(shape),
        parts_(parts_new(part_total(), part_total() * shape.tile_side * shape.tile_side,
                         {.tile = tile_numbers() * sizeof(float), .local = 0})) {}
  ~Matrix() { parts_free(&parts_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  [[nodiscard]] const parts& data() const { return parts_; }
  [[nodiscard]] std::size_t size() const {
    return shape_.part_side * shape_.tile_side * shape_.side;
  }
  [[nodiscard]] float& at(std::size_t row, std::size_t column) const {
    const std::size_t tile_row = row / shape_.side;
    const std::size_t tile_column = column / shape_.side;
    const std::size_t n = shape_.tile_side;
    const part& home = parts_.part[tile_row / n * shape_.part_side + tile_column / n];
    auto* tile = static_cast<float*>(home.tiles[tile_row % n * n + tile_column % n]);
    return tile[row % shape_.side * shape_.side + column % shape_.side];
  }
  void clear() const {
    for (std::size_t i = 0; i < parts_.tile_total; ++i) {
      std::memset(parts_tile(&parts_, i), 0, tile_numbers() * sizeof(float));
    }
  }
  void spread() const {
    std::vector<kernels::DataPlacement> placements;
    for (std::size_t p = 0; p < parts_.part_count; ++p) {
      const part& part = parts_.part[p];
      placements.push_back({part.region, {}});
      for (std::size_t i = 0; i < part.tile_count; ++i) {
        placements.back().objects.push_back({part.tiles[i]});
      }
    }
    kernels::place_data(parts_.region, placements);
  }
  [[nodiscard]] bool same_bits(const Matrix& other) const {
    for (std::size_t i = 0; i < parts_.tile_total; ++i) {
      const void* mine = parts_tile(&parts_, i);
      const void* theirs = parts_tile(&other.parts_, i);
      if (std::memcmp(mine, theirs, tile_numbers() * sizeof(float)) != 0) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] std::size_t part_total() const { return shape_.part_side * shape_.part_side; }
  [[nodiscard]] std::size_t tile_numbers() const { return shape_.side * shape_.side; }

  Shape shape_;
  parts parts_;
};

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("matrix_multiply",
                           "Matrix product in two steps: regions of tiles, then tiles");
  std::size_t size = 1024;
  std::size_t tile_rows = 64;
  std::size_t part_side = 2;
  program.option("size", size, {TILE_STEP, 16384}, "rows, a multiple of --task times --parts");
  program.option("task", tile_rows, {TILE_STEP, 4096}, "rows of a tile, a multiple of 16");
  program.option("parts", part_side, {1, 64}, "regions in a row of regions");
  program.parse(argc, argv);
  program.require(tile_rows % TILE_STEP == 0, "--task must be a multiple of 16");
  program.require(size % (tile_rows * part_side) == 0,
                  "--size must be a multiple of --task times --parts");

  const Shape shape{
      .part_side = part_side, .tile_side = size / tile_rows / part_side, .side = tile_rows};
  const Matrix a(shape);
  const Matrix b(shape);
  const Matrix expected(shape);
  const Matrix result(shape);
  kernels::fill_with_whole_numbers(a, kSeed);
  kernels::fill_with_whole_numbers(b, kSeed + 1);
  const auto with = [&](const Matrix& c) {
    const std::size_t tile_bytes = shape.side * shape.side * sizeof(float);
    return matrix_multiply{.a = a.data(),
                           .b = b.data(),
                           .c = c.data(),
                           .received = matrix_multiply_buffers(&c.data(), tile_bytes),
                           .part_side = shape.part_side,
                           .tile_side = shape.tile_side,
                           .side = shape.side};
  };
  matrix_multiply plain = with(expected);
  matrix_multiply tasks = with(result);
  const int status = program.run({
      .prepare =
          [&] {
            expected.clear(), result.clear();
            for (const Matrix* matrix : {&a, &b, &result}) matrix->spread();
          },
      .serial = [&] { matrix_multiply_serial(&plain); },
      .parallel = [&] { matrix_multiply_tasks(&tasks); },
      .same = [&] { return result.same_bits(expected); },
      .verify = [&] { return kernels::check_product(a, b, result); },
  });
  matrix_multiply_free_buffers(plain.received, plain.c.part_count);
  matrix_multiply_free_buffers(tasks.received, tasks.c.part_count);
  return status;
}
