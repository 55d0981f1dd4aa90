/* SPDX-License-Identifier: Apache-2.0
 *
 * The Jacobi iteration as OpenMP's parallel loops over the tiles, one an iteration.
 */
#include "myrmics/jacobi/grid.h"

void jacobi_tasks(struct jacobi* jacobi) {
  const int last = jacobi->tile_total - 1;
#pragma omp parallel
  for (int i = 0; i < jacobi->iterations; ++i) {
    const int now = i % 2;
#pragma omp for schedule(OPENMP_SCHEDULE)
    for (int index = 0; index <= last; ++index) {
      const struct jacobi_tile tile = jacobi_tile_at(jacobi, index);
      const float* north = index > 0 ? jacobi_tile_at(jacobi, index - 1).edges[now] : NULL;
      const float* south = index < last ? jacobi_tile_at(jacobi, index + 1).edges[now] : NULL;
      jacobi_step(north, tile.rows, south, tile.edges[1 - now], jacobi->tile_rows, jacobi->columns);
    }
  }
}
