/* SPDX-License-Identifier: Apache-2.0
 *
 * The Jacobi iteration with OpenMP's tasks: one for each tile. The top row stands for its tile.
 */
#include "jacobi/grid.h"

static void spawn_step(const struct jacobi_part* source, const struct jacobi_part* target, int tile,
                       const struct jacobi* jacobi) {
  const int tile_count = jacobi->tile_count, last = jacobi->part_count * tile_count - 1;
  const int rows = jacobi->tile_rows, columns = jacobi->columns;
#define TILE(table, index) (table)[(index) / tile_count].tiles[(index) % tile_count]
  const struct jacobi_tile from = TILE(source, tile);
  const struct jacobi_tile to = TILE(target, tile);
  /* A tile at the end of the table names itself as the neighbour that it lacks. */
  const struct jacobi_tile above = TILE(source, tile > 0 ? tile - 1 : tile);
  const struct jacobi_tile below = TILE(source, tile < last ? tile + 1 : tile);
#undef TILE
  const float* north = tile > 0 ? above.bottom : NULL;
  const float* south = tile < last ? below.top : NULL;
#pragma omp task firstprivate(north, from, south, to, rows, columns), \
    depend(in : *above.top, *from.top, *below.top), depend(out : *to.top)
  jacobi_step(north, from, south, to, rows, columns);
}

void jacobi_tasks(struct jacobi* jacobi) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < jacobi->iterations; ++i) {
      const struct jacobi_part* source = jacobi->grid[i % 2].parts;
      const struct jacobi_part* target = jacobi->grid[(i + 1) % 2].parts;
      for (int tile = 0; tile < jacobi->part_count * jacobi->tile_count; ++tile) {
        spawn_step(source, target, tile, jacobi);
      }
    }
#pragma omp taskwait
  }
}
