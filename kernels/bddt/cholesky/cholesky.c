/* SPDX-License-Identifier: Apache-2.0
 *
 * The program: the right-looking factorisation with a task for each step on a tile. The tiles that
 * a task names alone order it: the first tile of the next column is factored while the last updates
 * of this one still run.
 */
#include "bddt/cholesky/cholesky.h"

static void subtract_products(struct cholesky* m, size_t k, size_t row) {
  const size_t side = m->side;
  double* left = tile_at(m, row, k);
  double* corner = tile_at(m, row, row);
#pragma omp task in([side * side] left), inout([side * side] corner)
  update_diagonal(left, corner, side);
  for (size_t column = k + 1; column < row; ++column) {
    double* upper = tile_at(m, column, k);
    double* target = tile_at(m, row, column);
#pragma omp task in([side * side] left, [side * side] upper), inout([side * side] target)
    update_tile(left, upper, target, side);
  }
}

void cholesky_run(struct cholesky* m) {
  const size_t side = m->side;
  for (size_t k = 0; k < m->tile_count; ++k) {
    double* diagonal = tile_at(m, k, k);
#pragma omp task inout([side * side] diagonal)
    factor_tile(diagonal, side);
    for (size_t row = k + 1; row < m->tile_count; ++row) {
      double* below = tile_at(m, row, k);
#pragma omp task in([side * side] diagonal), inout([side * side] below)
      solve_tile(diagonal, below, side);
    }
    for (size_t row = k + 1; row < m->tile_count; ++row) subtract_products(m, k, row);
  }
#pragma omp taskwait
}
