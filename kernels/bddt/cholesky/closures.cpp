// SPDX-License-Identifier: Apache-2.0
//
// cholesky.c once more, over the C++ interface: each call spawned, each tile an access. A pointer
// to an object stands for all of it.
#include <myr/myr.hpp>

#include "bddt/cholesky/cholesky.h"

using myr::in;
using myr::inout;

void cholesky_closures(cholesky* m) {
  const auto tile = [m](std::size_t row, std::size_t column) { return tile_at(m, row, column); };
  for (std::size_t k = 0; k < m->tile_count; ++k) {
    myr::spawn(factor_tile, inout(tile(k, k)), m->side);
    for (std::size_t i = k + 1; i < m->tile_count; ++i) {
      myr::spawn(solve_tile, in(tile(k, k)), inout(tile(i, k)), m->side);
    }
    for (std::size_t i = k + 1; i < m->tile_count; ++i) {
      myr::spawn(update_diagonal, in(tile(i, k)), inout(tile(i, i)), m->side);
      for (std::size_t j = k + 1; j < i; ++j) {
        myr::spawn(update_tile, in(tile(i, k)), in(tile(j, k)), inout(tile(i, j)), m->side);
      }
    }
  }
  myr::wait_all();
}
