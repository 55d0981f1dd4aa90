/* SPDX-License-Identifier: Apache-2.0
 *
 * cholesky.c with OpenMP's tasks.
 */
#include "bddt/cholesky/cholesky.h"

static void subtract_products(const struct cholesky* m, size_t k, size_t row) {
  const size_t side = m->side;
  double* left = tile_at(m, row, k);
  double* corner = tile_at(m, row, row);
#pragma omp task depend(in : left[0]) depend(inout : corner[0])
  update_diagonal(left, corner, side);
  for (size_t column = k + 1; column < row; ++column) {
    double* upper = tile_at(m, column, k);
    double* target = tile_at(m, row, column);
#pragma omp task depend(in : left[0], upper[0]) depend(inout : target[0])
    update_tile(left, upper, target, side);
  }
}

void cholesky_tasks(struct cholesky* m) {
  const size_t side = m->side;
#pragma omp parallel
#pragma omp single
  for (size_t k = 0; k < m->tile_count; ++k) {
    double* diagonal = tile_at(m, k, k);
#pragma omp task depend(inout : diagonal[0])
    factor_tile(diagonal, side);
    for (size_t row = k + 1; row < m->tile_count; ++row) {
      double* below = tile_at(m, row, k);
#pragma omp task depend(in : diagonal[0]) depend(inout : below[0])
      solve_tile(diagonal, below, side);
    }
    for (size_t row = k + 1; row < m->tile_count; ++row) subtract_products(m, k, row);
  }
}
