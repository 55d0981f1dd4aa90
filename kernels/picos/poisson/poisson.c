/* SPDX-License-Identifier: Apache-2.0
 *
 * The program: a task for each block of rows in each step. It waits for the blocks beside it, not
 * for the step to end everywhere; a block outside of the grid is NULL, and no access.
 */
#include "picos/poisson/poisson.h"

void poisson_run(struct poisson* grid) {
  const size_t rows = grid->block_rows;
  const size_t columns = grid->columns;
  for (size_t step = 0; step < grid->steps; ++step) {
    for (size_t i = 0; i < grid->block_count; ++i) {
      const struct block_view from = view_block(grid, step, i);
      double* source = grid->source[i];
      double* to = grid->guesses[(step + 1) % 2][i];
#pragma omp task in([rows * columns] from.above, [rows * columns] from.centre, \
                        [rows * columns] from.below, [rows * columns] source), \
    out([rows * columns] to)
      relax_rows(from, source, to, rows, columns);
    }
  }
#pragma omp taskwait
}
