/* SPDX-License-Identifier: Apache-2.0
 *
 * The Jacobi iteration of the Myrmics paper, section VI-B. In each iteration main first spawns
 * tasks that bring each part the rows next to it, then a coarse task for each part, which holds
 * that part's region and nothing else, and spawns a fine one for each tile. So only as many tasks
 * as there are parts know of two parts, and the others are the matter of one scheduler.
 */
#include <myrmics.h>

#include "common/parts.h"
#include "myrmics/jacobi/grid.h"

/* A fine task: one tile. */
static void step_tile(float* north, float* rows, float* south, float* new_edges, int row_count,
                      int columns) {
  jacobi_step(north, rows, south, new_edges, row_count, columns);
}

/* A coarse task: one part. `now` is which edges to read. */
static void step_part(rid_t region, struct jacobi_tile* tiles, float* above, float* below,
                      int tile_count, int now, int row_count, int columns) {
  (void)region;
  for (int i = 0; i < tile_count; ++i) {
    float* north = i > 0 ? tiles[i - 1].edges[now] : above;
    float* south = i < tile_count - 1 ? tiles[i + 1].edges[now] : below;
    float *rows = tiles[i].rows, *new_edges = tiles[i].edges[1 - now];
#pragma myrmics task in(north, south), inout(rows), out(new_edges), in(row_count, columns)
    step_tile(north, rows, south, new_edges, row_count, columns);
  }
}

/* What two parts that touch need of each other. */
static void exchange(float* upper, float* lower, float* above_lower, float* below_upper,
                     int columns) {
  jacobi_copy_edges(upper, above_lower, columns);
  jacobi_copy_edges(lower, below_upper, columns);
}

void jacobi_run(struct jacobi* jacobi) {
  const int part_count = jacobi->part_count;
  const int row_count = jacobi->tile_rows, columns = jacobi->columns;
  for (int i = 0; i < jacobi->iterations; ++i) {
    const int now = i % 2;
    for (int p = 1; p < part_count; ++p) {
      const struct jacobi_part *north = &jacobi->parts[p - 1], *south = &jacobi->parts[p];
      float* upper = north->tiles[north->tile_count - 1].edges[now];
      float* lower = south->tiles[0].edges[now];
      float *above_lower = south->above, *below_upper = north->below;
#pragma myrmics task in(upper, lower), out(above_lower, below_upper), in(columns)
      exchange(upper, lower, above_lower, below_upper, columns);
    }
    for (int p = 0; p < part_count; ++p) {
      const struct jacobi_part* part = &jacobi->parts[p];
      const int tile_count = part->tile_count;
      rid_t region = part->region;
      struct jacobi_tile* tiles = part->tiles;
      float* above = p > 0 ? part->above : NULL;
      float* below = p < part_count - 1 ? part->below : NULL;
#pragma myrmics task region inout(region), notransfer(region), \
    in(tiles, above, below, tile_count, now, row_count, columns), safe(tiles, above, below)
      step_part(region, tiles, above, below, tile_count, now, row_count, columns);
    }
  }
  rid_t all = jacobi->region;
  int* end = jacobi->end;
#pragma myrmics task region inout(all), notransfer(all), out(end)
  parts_reach_end(all, end);
#pragma myrmics wait on(end)
}
