/* SPDX-License-Identifier: Apache-2.0
 *
 * poisson.c as OpenMP's parallel loops, one a step.
 */
#include "picos/poisson/poisson.h"

void poisson_tasks(struct poisson* grid) {
#pragma omp parallel
  for (size_t step = 0; step < grid->steps; ++step) {
    double** to = grid->guesses[(step + 1) % 2];
#pragma omp for schedule(OPENMP_SCHEDULE)
    for (size_t i = 0; i < grid->block_count; ++i) {
      relax_rows(view_block(grid, step, i), grid->source[i], to[i], grid->block_rows,
                 grid->columns);
    }
  }
}
