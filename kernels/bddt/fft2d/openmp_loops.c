/* SPDX-License-Identifier: Apache-2.0
 *
 * fft2d.c as OpenMP's parallel loops. Row i of the tiles has i + 1 pairs to swap, so two rows make
 * one iteration, the i-th and the i-th from the end.
 */
#include "bddt/fft2d/fft2d.h"

static void swap_row(const struct fft2d* f, size_t i) {
  const size_t area = f->side * f->side;
  for (size_t j = 0; j <= i; ++j) {
    swap_tiles(f->panels[i] + j * area, f->panels[j] + i * area, f->side);
  }
}

/* Called by all threads. */
static void transform_and_transpose(const struct fft2d* f) {
  const size_t n = f->tile_count;
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t i = 0; i < n; ++i) transform_rows(f->panels[i], f->side, f->plan);
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t i = 0; i < (n + 1) / 2; ++i) {
    swap_row(f, i);
    if (n - 1 - i != i) swap_row(f, n - 1 - i);
  }
}

void fft2d_tasks(struct fft2d* f) {
#pragma omp parallel
  {
    transform_and_transpose(f);
    transform_and_transpose(f);
  }
}
