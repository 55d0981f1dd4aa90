// SPDX-License-Identifier: Apache-2.0
//
// The lower half of a symmetric matrix, cut into square tiles. It only keeps the tiles'
// addresses: the serial version puts the tiles into vectors, the task version into a region.
#pragma once

#include <cstddef>
#include <vector>

namespace cholesky {

struct Matrix {
  Matrix(std::size_t tiles_a_side, std::size_t tile_side)
      : tile_count(tiles_a_side), side(tile_side), tiles(tile_count * (tile_count + 1) / 2) {}

  // The tile in the given row and column of tiles. REQUIRES: column <= row.
  [[nodiscard]] double*& tile(std::size_t row, std::size_t column) {
    return tiles[row * (row + 1) / 2 + column];
  }
  [[nodiscard]] const double* tile(std::size_t row, std::size_t column) const {
    return tiles[row * (row + 1) / 2 + column];
  }
  // One number. REQUIRES: column <= row.
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return tile(row / side, column / side)[column % side * side + row % side];
  }
  [[nodiscard]] std::size_t size() const { return tile_count * side; }

  std::size_t tile_count;  // in a row of tiles
  std::size_t side;        // of a tile
  std::vector<double*> tiles;
};

// Replaces A by L with L L^T = A. The task version returns how many tasks it spawned.
void factor_serial(Matrix& matrix);
[[nodiscard]] std::size_t factor_tasks(Matrix& matrix);

}  // namespace cholesky
