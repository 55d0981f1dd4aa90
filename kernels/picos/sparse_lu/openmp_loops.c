/* SPDX-License-Identifier: Apache-2.0
 *
 * sparse_lu.c as OpenMP's parallel loops, in the manner of the BOTS benchmark: in each step the
 * pivot, then its row and its column, then all blocks beyond, a row of blocks an iteration.
 */
#include "picos/sparse_lu/sparse_lu.h"

static void update_row(const struct sparse_lu* m, size_t k, size_t i) {
  const size_t n = m->block_count;
  double* below = m->blocks[i * n + k];
  if (below == NULL) return;
  for (size_t j = k + 1; j < n; ++j) {
    double* right = m->blocks[k * n + j];
    if (right != NULL) update_block(below, right, m->blocks[i * n + j], m->side);
  }
}

/* Called by all threads. */
static void eliminate(const struct sparse_lu* m, size_t k) {
  const size_t n = m->block_count, side = m->side;
  double* pivot = m->blocks[k * n + k];
#pragma omp single
  factor_block(pivot, side);
#pragma omp for schedule(OPENMP_SCHEDULE) nowait
  for (size_t j = k + 1; j < n; ++j) {
    double* right = m->blocks[k * n + j];
    if (right != NULL) solve_lower(pivot, right, side);
  }
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t i = k + 1; i < n; ++i) {
    double* below = m->blocks[i * n + k];
    if (below != NULL) solve_upper(pivot, below, side);
  }
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t i = k + 1; i < n; ++i) update_row(m, k, i);
}

void sparse_lu_tasks(struct sparse_lu* m) {
#pragma omp parallel
  for (size_t k = 0; k < m->block_count; ++k) eliminate(m, k);
}
