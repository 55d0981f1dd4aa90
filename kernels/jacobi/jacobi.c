/* SPDX-License-Identifier: Apache-2.0
 *
 * The Jacobi iteration of the Myrmics paper, section VI-B. Main spawns a coarse task for each part
 * and iteration; it holds its region of either table and the rows next to them. The coarse task
 * spawns a fine one for each tile. So main's tasks know regions, and only tasks within a part know
 * objects.
 */
#include <myrmics.h>

#include "jacobi/grid.h"

/* A fine task: one tile. */
static void step_tile(float* north, float* top, float* middle, float* bottom, float* south,
                      float* new_top, float* new_middle, float* new_bottom, int rows, int columns) {
  const struct jacobi_tile from = {top, middle, bottom};
  const struct jacobi_tile to = {new_top, new_middle, new_bottom};
  jacobi_step(north, from, south, to, rows, columns);
}

/* A coarse task: one part. */
static void step_part(rid_t from_region, rid_t to_region, float* above, float* below,
                      struct jacobi_tile* from, struct jacobi_tile* to, int tile_count, int rows,
                      int columns) {
  (void)from_region, (void)to_region;
  for (int i = 0; i < tile_count; ++i) {
    float* north = i > 0 ? from[i - 1].bottom : above;
    float* south = i < tile_count - 1 ? from[i + 1].top : below;
    float *top = from[i].top, *middle = from[i].middle, *bottom = from[i].bottom;
    float *new_top = to[i].top, *new_middle = to[i].middle, *new_bottom = to[i].bottom;
#pragma myrmics task in(north, top, middle, bottom, south), out(new_top, new_middle, new_bottom), \
    in(rows, columns)
    step_tile(north, top, middle, bottom, south, new_top, new_middle, new_bottom, rows, columns);
  }
}

void jacobi_run(struct jacobi* jacobi) {
  const int part_count = jacobi->part_count, tile_count = jacobi->tile_count;
  const int rows = jacobi->tile_rows, columns = jacobi->columns;
  for (int i = 0; i < jacobi->iterations; ++i) {
    const struct jacobi_part* source = jacobi->grid[i % 2].parts;
    const struct jacobi_part* target = jacobi->grid[(i + 1) % 2].parts;
    for (int p = 0; p < part_count; ++p) {
      rid_t from_region = source[p].region, to_region = target[p].region;
      struct jacobi_tile *from = source[p].tiles, *to = target[p].tiles;
      float* above = p > 0 ? source[p - 1].last : NULL;
      float* below = p < part_count - 1 ? source[p + 1].first : NULL;
#pragma myrmics task region in(from_region), region inout(to_region), in(above, below), \
    in(from, to, tile_count, rows, columns), safe(from, to)
      step_part(from_region, to_region, above, below, from, to, tile_count, rows, columns);
    }
  }
#pragma myrmics wait on(region jacobi->grid[0].region, region jacobi->grid[1].region)
}
