/* SPDX-License-Identifier: Apache-2.0
 *
 * poisson.c with OpenMP's tasks. The address NULL stands for the outside; neither that nor the
 * source is ever written, and the source is not declared.
 */
#include "picos/poisson/poisson.h"

void poisson_tasks(struct poisson* grid) {
  const size_t rows = grid->block_rows;
  const size_t columns = grid->columns;
#pragma omp parallel
#pragma omp single
  for (size_t step = 0; step < grid->steps; ++step) {
    for (size_t i = 0; i < grid->block_count; ++i) {
      const struct block_view from = view_block(grid, step, i);
      const double* source = grid->source[i];
      double* to = grid->guesses[(step + 1) % 2][i];
#pragma omp task depend(in : from.above[0], from.centre[0], from.below[0]) depend(out : to[0])
      relax_rows(from, source, to, rows, columns);
    }
  }
}
