/* SPDX-License-Identifier: Apache-2.0
 *
 * tiled_jacobi.c as OpenMP's parallel loops, one a step.
 */
#include "bddt/tiled_jacobi/tiled_jacobi.h"

void tiled_jacobi_tasks(struct tiled_jacobi* grid) {
  const size_t tiles = grid->tile_count;
#pragma omp parallel
  for (size_t step = 0; step < grid->steps; ++step) {
    float** to = grid->grids[(step + 1) % 2];
#pragma omp for schedule(OPENMP_SCHEDULE) collapse(2)
    for (size_t i = 0; i < tiles; ++i) {
      for (size_t j = 0; j < tiles; ++j) {
        relax_tile(view_tile(grid, step, i, j), to[i * tiles + j], grid->side);
      }
    }
  }
}
