// SPDX-License-Identifier: Apache-2.0
//
// cholesky.c with a loop over the tiles of a column, and one over all that it changes.
#include <myr/myr.hpp>
#include <vector>

#include "bddt/cholesky/cholesky.h"

namespace {

// What a column of tiles does to those right of it: target -= left upper^T. The lists are there
// until the loops have run.
struct Column {
  double* diagonal;
  std::vector<double*> below;
  std::vector<double*> left, upper, target;
};

Column column_of(const cholesky& m, std::size_t k) {
  Column all{.diagonal = tile_at(&m, k, k)};
  for (std::size_t row = k + 1; row < m.tile_count; ++row) {
    all.below.push_back(tile_at(&m, row, k));
    for (std::size_t column = k + 1; column <= row; ++column) {
      all.left.push_back(tile_at(&m, row, k));
      all.upper.push_back(tile_at(&m, column, k));
      all.target.push_back(tile_at(&m, row, column));
    }
  }
  return all;
}

void update(const Column& c, std::size_t i, std::size_t side) {
  if (c.left[i] == c.upper[i]) {
    update_diagonal(c.left[i], c.target[i], side);
  } else {
    update_tile(c.left[i], c.upper[i], c.target[i], side);
  }
}

}  // namespace

void cholesky_tasks(cholesky* m) {
  using myr::each;
  using myr::part;
  const std::size_t side = m->side;
  std::vector<Column> columns;
  for (std::size_t k = 0; k < m->tile_count; ++k) columns.push_back(column_of(*m, k));
  for (const Column& c : columns) {
    myr::spawn(factor_tile, myr::inout(c.diagonal), side);
    myr::for_each(myr::Range{0, c.below.size()}, myr::in(c.diagonal),
                  myr::inout(each(c.below), part),
                  [&c, side](std::size_t i) { solve_tile(c.diagonal, c.below[i], side); });
    myr::for_each(myr::Range{0, c.target.size()}, myr::in(each(c.left), part),
                  myr::in(each(c.upper), part), myr::inout(each(c.target), part),
                  [&c, side](std::size_t i) { update(c, i, side); });
  }
  myr::wait_all();
}
