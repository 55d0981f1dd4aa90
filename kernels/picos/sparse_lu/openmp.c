/* SPDX-License-Identifier: Apache-2.0
 *
 * sparse_lu.c with OpenMP's tasks.
 */
#include "picos/sparse_lu/sparse_lu.h"

static void eliminate(const struct sparse_lu* m, size_t k) {
  const size_t n = m->block_count;
  const size_t side = m->side;
  double** row = m->blocks + k * n;
  double* pivot = row[k];
#pragma omp task depend(inout : pivot[0])
  factor_block(pivot, side);
  for (size_t j = k + 1; j < n; ++j) {
    double* right = row[j];
    if (right == NULL) continue;
#pragma omp task depend(in : pivot[0]) depend(inout : right[0])
    solve_lower(pivot, right, side);
  }
  for (size_t i = k + 1; i < n; ++i) {
    double* below = m->blocks[i * n + k];
    if (below == NULL) continue;
#pragma omp task depend(in : pivot[0]) depend(inout : below[0])
    solve_upper(pivot, below, side);
    for (size_t j = k + 1; j < n; ++j) {
      double* right = row[j];
      if (right == NULL) continue;
      double* inner = m->blocks[i * n + j];
#pragma omp task depend(in : below[0], right[0]) depend(inout : inner[0])
      update_block(below, right, inner, side);
    }
  }
}

void sparse_lu_tasks(struct sparse_lu* m) {
#pragma omp parallel
#pragma omp single
  for (size_t k = 0; k < m->block_count; ++k) eliminate(m, k);
}
