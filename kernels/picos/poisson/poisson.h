/* SPDX-License-Identifier: Apache-2.0
 *
 * Poisson's equation on a square grid by Jacobi's iteration, in blocks of rows; see README.md. The
 * program with tasks is poisson.c, with OpenMP's tasks openmp.c; what a task does is in work.c.
 */
#ifndef POISSON_H
#define POISSON_H

#include <myr/myr.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Two guesses at the solution, which are source and target of a step in turn. Around the grid
 * everything is zero. */
struct poisson {
  size_t block_count;
  size_t block_rows;
  size_t columns; /* a multiple of ROW_STEP */
  size_t steps;
  double** guesses[2];
  double** source; /* the right-hand side, times the square of the grid's step, a quarter of it */
  myr_region source_region; /* where that lies */
};

enum { ROW_STEP = 8, COLUMNS_MAX = 16384 };

/* A block and those above and below; NULL: the grid ends there. */
struct block_view {
  const double* above;
  const double* centre;
  const double* below;
};
struct block_view view_block(const struct poisson* grid, size_t step, size_t block);

/* Every number of `to` becomes the mean of its four neighbours, plus the source. */
void relax_rows(struct block_view from, const double* source, double* to, size_t rows,
                size_t columns);

void poisson_serial(struct poisson* grid);
void poisson_tasks(struct poisson* grid);

#ifdef __cplusplus
}
#endif
#endif
