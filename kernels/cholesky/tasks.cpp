// SPDX-License-Identifier: Apache-2.0
//
// The task program: serial.cpp with each call spawned. The tiles that a call names are its
// accesses, and they alone order the tasks: the first tile of the next column is factored while
// the last updates of this one still run.
#include <myr/myr.hpp>

#include "cholesky/matrix.hpp"
#include "cholesky/tile.hpp"

using myr::in;
using myr::inout;

namespace cholesky {

std::size_t factor_tasks(Matrix& m) {
  std::size_t tasks = 0;
  for (std::size_t k = 0; k < m.tile_count; ++k) {
    myr::spawn(factor, inout(m.tile(k, k)), m.side);
    for (std::size_t i = k + 1; i < m.tile_count; ++i) {
      myr::spawn(solve, in(m.tile(k, k)), inout(m.tile(i, k)), m.side);
    }
    for (std::size_t i = k + 1; i < m.tile_count; ++i) {
      myr::spawn(update_diagonal, in(m.tile(i, k)), inout(m.tile(i, i)), m.side);
      for (std::size_t j = k + 1; j < i; ++j) {
        myr::spawn(update, in(m.tile(i, k)), in(m.tile(j, k)), inout(m.tile(i, j)), m.side);
      }
    }
    const std::size_t below = m.tile_count - k - 1;
    tasks += 1 + below + below * (below + 1) / 2;
  }
  myr::wait_all();
  return tasks;
}

}  // namespace cholesky
