/* SPDX-License-Identifier: Apache-2.0
 *
 * The program: a task for each tile in each step. It waits for the tiles around it, not for the
 * step to end everywhere; a tile outside of the grid is NULL, and no access.
 */
#include "bddt/tiled_jacobi/tiled_jacobi.h"

void tiled_jacobi_run(struct tiled_jacobi* grid) {
  const size_t tiles = grid->tile_count;
  const size_t side = grid->side;
  for (size_t step = 0; step < grid->steps; ++step) {
    for (size_t i = 0; i < tiles; ++i) {
      for (size_t j = 0; j < tiles; ++j) {
        const struct tile_view from = view_tile(grid, step, i, j);
        float* to = grid->grids[(step + 1) % 2][i * tiles + j];
#pragma omp task in([side * side] from.centre, [side * side] from.north, [side * side] from.south, \
                        [side * side] from.west, [side * side] from.east),                         \
    out([side * side] to)
        relax_tile(from, to, side);
      }
    }
  }
#pragma omp taskwait
}
