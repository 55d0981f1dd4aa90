/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables and the step on one tile; see grid.h.
 */
#include "jacobi/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct jacobi_part new_part(const struct jacobi* jacobi, myr_region parent) {
  const size_t row_bytes = (size_t)jacobi->columns * sizeof(float);
  const size_t middle_bytes = (size_t)(jacobi->tile_rows - 2) * row_bytes;
  const myr_region region = myr_region_new(parent, 0);
  const size_t tile_count = (size_t)jacobi->tile_count;
  struct jacobi_tile* tiles = myr_alloc(tile_count * sizeof(struct jacobi_tile), region);
  for (size_t i = 0; i < tile_count; ++i) {
    tiles[i].top = myr_alloc(row_bytes, region);
    tiles[i].middle = myr_alloc(middle_bytes, region);
    tiles[i].bottom = myr_alloc(row_bytes, region);
  }
  return (struct jacobi_part){region, tiles, tiles[0].top, tiles[tile_count - 1].bottom};
}

void jacobi_allocate(struct jacobi* jacobi) {
  for (int which = 0; which < 2; ++which) {
    struct jacobi_grid* grid = &jacobi->grid[which];
    grid->region = myr_region_new(MYR_ROOT, 99);
    grid->parts = malloc((size_t)jacobi->part_count * sizeof(struct jacobi_part));
    if (grid->parts == NULL) {
      fprintf(stderr, "jacobi: no memory for %d parts\n", jacobi->part_count);
      exit(1);
    }
    for (int i = 0; i < jacobi->part_count; ++i) grid->parts[i] = new_part(jacobi, grid->region);
  }
}

void jacobi_free(struct jacobi* jacobi) {
  for (int which = 0; which < 2; ++which) {
    myr_region_free(jacobi->grid[which].region);
    free(jacobi->grid[which].parts);
  }
}

static float* row_of(struct jacobi_tile tile, int row, int rows, int columns) {
  if (row == 0) return tile.top;
  if (row == rows - 1) return tile.bottom;
  return tile.middle + (size_t)(row - 1) * (size_t)columns;
}

float* jacobi_row(const struct jacobi* jacobi, int which, int row) {
  const int tile = row / jacobi->tile_rows;
  const struct jacobi_part* part = &jacobi->grid[which].parts[tile / jacobi->tile_count];
  return row_of(part->tiles[tile % jacobi->tile_count], row % jacobi->tile_rows, jacobi->tile_rows,
                jacobi->columns);
}

static void step_row(const float* restrict north, const float* restrict row,
                     const float* restrict south, float* restrict to, int columns) {
  to[0] = row[0];
  for (int c = 1; c < columns - 1; ++c) {
    to[c] = 0.25f * ((north[c] + south[c]) + (row[c - 1] + row[c + 1]));
  }
  to[columns - 1] = row[columns - 1];
}

void jacobi_step(const float* north, struct jacobi_tile from, const float* south,
                 struct jacobi_tile to, int rows, int columns) {
  for (int r = 0; r < rows; ++r) {
    const float* above = r > 0 ? row_of(from, r - 1, rows, columns) : north;
    const float* row = row_of(from, r, rows, columns);
    const float* below = r < rows - 1 ? row_of(from, r + 1, rows, columns) : south;
    float* target = row_of(to, r, rows, columns);
    if (above == NULL || below == NULL) {
      memcpy(target, row, (size_t)columns * sizeof(float));
    } else {
      step_row(above, row, below, target, columns);
    }
  }
}
