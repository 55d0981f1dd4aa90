/* SPDX-License-Identifier: Apache-2.0
 *
 * fft2d.c with OpenMP's tasks. A dependence of OpenMP is an address, not a range: so a panel's task
 * names the first number of each of its tiles.
 */
#include "fft2d/fft2d.h"

static void transform_panels(const struct fft2d* f) {
  const size_t area = f->side * f->side;
  for (size_t i = 0; i < f->tile_count; ++i) {
    struct complex_number* panel = f->panels[i];
#pragma omp task depend(iterator(size_t j = 0 : f->tile_count), inout : panel[j * area])
    transform_rows(panel, f->side, f->plan);
  }
}

static void transpose(const struct fft2d* f) {
  const size_t area = f->side * f->side;
  for (size_t i = 0; i < f->tile_count; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      struct complex_number* lower = f->panels[i] + j * area;
      struct complex_number* upper = f->panels[j] + i * area;
#pragma omp task depend(inout : lower[0], upper[0])
      swap_tiles(lower, upper, f->side);
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
