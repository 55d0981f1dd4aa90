/* SPDX-License-Identifier: Apache-2.0
 *
 * tiled_jacobi.c with OpenMP's tasks. The address NULL stands for the outside, which no task
 * writes.
 */
#include "bddt/tiled_jacobi/tiled_jacobi.h"

void tiled_jacobi_tasks(struct tiled_jacobi* grid) {
  const size_t tiles = grid->tile_count;
  const size_t side = grid->side;
#pragma omp parallel
#pragma omp single
  for (size_t step = 0; step < grid->steps; ++step) {
    for (size_t i = 0; i < tiles; ++i) {
      for (size_t j = 0; j < tiles; ++j) {
        const struct tile_view from = view_tile(grid, step, i, j);
        float* to = grid->grids[(step + 1) % 2][i * tiles + j];
#pragma omp task depend(in : from.centre[0], from.north[0], from.south[0], from.west[0], \
                            from.east[0]) depend(out : to[0])
        relax_tile(from, to, side);
      }
    }
  }
}
