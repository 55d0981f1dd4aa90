/* SPDX-License-Identifier: Apache-2.0
 *
 * fft2d.c with OpenMP's tasks. The first number of a panel stands for the panel: its transform is
 * inout, and the swaps of its tiles, which do not meet each other, are in.
 */
#include "bddt/fft2d/fft2d.h"

static void transform_panels(const struct fft2d* f) {
  for (size_t i = 0; i < f->tile_count; ++i) {
    struct complex_number* panel = f->panels[i];
#pragma omp task depend(inout : panel[0])
    transform_rows(panel, f->side, f->plan);
  }
}

static void transpose(const struct fft2d* f) {
  const size_t area = f->side * f->side;
  for (size_t i = 0; i < f->tile_count; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      struct complex_number *left = f->panels[i], *right = f->panels[j];
#pragma omp task depend(in : left[0], right[0])
      swap_tiles(left + j * area, right + i * area, f->side);
    }
  }
}

void fft2d_tasks(struct fft2d* f) {
#pragma omp parallel
#pragma omp single
  {
    transform_panels(f);
    transpose(f);
    transform_panels(f);
    transpose(f);
  }
}
