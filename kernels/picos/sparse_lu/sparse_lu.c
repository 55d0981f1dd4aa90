/* SPDX-License-Identifier: Apache-2.0
 *
 * The program: block Gaussian elimination with a task for each step on a block that is not empty.
 */
#include "picos/sparse_lu/sparse_lu.h"

static void eliminate(const struct sparse_lu* m, size_t k) {
  const size_t n = m->block_count;
  const size_t side = m->side;
  double** row = m->blocks + k * n;
  double* pivot = row[k];
#pragma omp task inout([m->area] pivot)
  factor_block(pivot, side);
  for (size_t j = k + 1; j < n; ++j) {
    double* right = row[j];
    if (right == NULL) continue;
#pragma omp task in([m->area] pivot), inout([m->area] right)
    solve_lower(pivot, right, side);
  }
  for (size_t i = k + 1; i < n; ++i) {
    double* below = m->blocks[i * n + k];
    if (below == NULL) continue;
#pragma omp task in([m->area] pivot), inout([m->area] below)
    solve_upper(pivot, below, side);
    for (size_t j = k + 1; j < n; ++j) {
      double* right = row[j];
      if (right == NULL) continue;
      double* inner = m->blocks[i * n + j];
#pragma omp task in([m->area] below, [m->area] right), inout([m->area] inner)
      update_block(below, right, inner, side);
    }
  }
}

void sparse_lu_run(struct sparse_lu* m) {
  for (size_t k = 0; k < m->block_count; ++k) eliminate(m, k);
#pragma omp taskwait
}
