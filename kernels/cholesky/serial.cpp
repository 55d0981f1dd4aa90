// SPDX-License-Identifier: Apache-2.0
//
// The plain program: the right-looking factorisation, tile by tile.
#include "cholesky/matrix.hpp"
#include "cholesky/tile.hpp"

namespace cholesky {

void factor_serial(Matrix& m) {
  for (std::size_t k = 0; k < m.tile_count; ++k) {
    factor(m.tile(k, k), m.side);
    for (std::size_t i = k + 1; i < m.tile_count; ++i) {
      solve(m.tile(k, k), m.tile(i, k), m.side);
    }
    for (std::size_t i = k + 1; i < m.tile_count; ++i) {
      update_diagonal(m.tile(i, k), m.tile(i, i), m.side);
      for (std::size_t j = k + 1; j < i; ++j) {
        update(m.tile(i, k), m.tile(j, k), m.tile(i, j), m.side);
      }
    }
  }
}

}  // namespace cholesky
