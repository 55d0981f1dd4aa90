/* SPDX-License-Identifier: Apache-2.0
 *
 * The Jacobi iteration with OpenMP's tasks: one for each tile, ordered by the edges.
 */
#include "myrmics/jacobi/grid.h"

static void spawn_step(const struct jacobi* jacobi, int index, int now) {
  const int last = jacobi->tile_total - 1;
  const int row_count = jacobi->tile_rows, columns = jacobi->columns;
  /* A tile at the end of the table names itself as the neighbour that it lacks. */
  const struct jacobi_tile above = jacobi_tile_at(jacobi, index > 0 ? index - 1 : index);
  const struct jacobi_tile below = jacobi_tile_at(jacobi, index < last ? index + 1 : index);
  const struct jacobi_tile tile = jacobi_tile_at(jacobi, index);
  const float* north = index > 0 ? above.edges[now] : NULL;
  const float* south = index < last ? below.edges[now] : NULL;
  float *rows = tile.rows, *new_edges = tile.edges[1 - now];
#pragma omp task firstprivate(north, rows, south, new_edges, row_count, columns), \
    depend(in : above.edges[now][0], tile.edges[now][0], below.edges[now][0]),    \
    depend(out : new_edges[0]), depend(inout : rows[0])
  jacobi_step(north, rows, south, new_edges, row_count, columns);
}

void jacobi_tasks(struct jacobi* jacobi) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < jacobi->iterations; ++i) {
      for (int tile = 0; tile < jacobi->tile_total; ++tile) spawn_step(jacobi, tile, i % 2);
    }
#pragma omp taskwait
  }
}
