/* SPDX-License-Identifier: Apache-2.0
 *
 * The program: a task for each panel of rows, and one for each pair of tiles to swap. A panel is
 * transformed when its last tile has come, whatever happens elsewhere: there is no barrier.
 */
#include "bddt/fft2d/fft2d.h"

static void transform_panels(struct fft2d* f) {
  const size_t side = f->side;
  const size_t tiles = f->tile_count;
  for (size_t i = 0; i < tiles; ++i) {
    struct complex_number* panel = f->panels[i];
#pragma omp task inout([tiles * side * side] panel)
    transform_rows(panel, side, f->plan);
  }
}

static void transpose(struct fft2d* f) {
  const size_t side = f->side;
  for (size_t i = 0; i < f->tile_count; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      struct complex_number* lower = f->panels[i] + j * side * side;
      struct complex_number* upper = f->panels[j] + i * side * side;
#pragma omp task inout([side * side] lower, [side * side] upper)
      swap_tiles(lower, upper, side);
    }
  }
}

void fft2d_run(struct fft2d* f) {
  transform_panels(f);
  transpose(f);
  transform_panels(f);
  transpose(f);
#pragma omp taskwait
}
