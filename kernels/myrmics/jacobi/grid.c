/* SPDX-License-Identifier: Apache-2.0
 *
 * The table and the step on one tile; see grid.h.
 */
#include "myrmics/jacobi/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/costs.h"
#include "chip/work.h"

static void* memory(size_t bytes) {
  void* const found = malloc(bytes);
  if (found == NULL) {
    fprintf(stderr, "jacobi: no memory\n");
    exit(1);
  }
  return found;
}

static struct jacobi_part new_part(const struct jacobi* jacobi, int tile_count) {
  const size_t row_bytes = (size_t)jacobi->columns * sizeof(float);
  const myr_region region = myr_region_new(jacobi->region, 0);
  const myr_region rows = myr_region_new(region, 0);
  const myr_region edges[2] = {myr_region_new(region, 0), myr_region_new(region, 0)};
  struct jacobi_tile* tiles = memory((size_t)tile_count * sizeof(struct jacobi_tile));
  for (int i = 0; i < tile_count; ++i) {
    tiles[i].rows = myr_alloc((size_t)jacobi->tile_rows * row_bytes, rows);
    tiles[i].edges[0] = myr_alloc(2 * row_bytes, edges[0]);
    tiles[i].edges[1] = myr_alloc(2 * row_bytes, edges[1]);
  }
  return (struct jacobi_part){.region = region,
                              .rows_region = rows,
                              .edge_regions = {edges[0], edges[1]},
                              .tiles = tiles,
                              .tile_count = tile_count,
                              .above = myr_alloc(2 * row_bytes, region),
                              .below = myr_alloc(2 * row_bytes, region)};
}

/* The first tile of a part. */
static int first_tile(const struct jacobi* jacobi, int part) {
  return (int)((long)part * jacobi->tile_total / jacobi->part_count);
}

void jacobi_allocate(struct jacobi* jacobi) {
  jacobi->region = myr_region_new(MYR_ROOT, 99);
  jacobi->end = myr_alloc(sizeof(int), MYR_ROOT);
  jacobi->parts = memory((size_t)jacobi->part_count * sizeof(struct jacobi_part));
  for (int p = 0; p < jacobi->part_count; ++p) {
    jacobi->parts[p] = new_part(jacobi, first_tile(jacobi, p + 1) - first_tile(jacobi, p));
  }
}

void jacobi_free(struct jacobi* jacobi) {
  myr_region_free(jacobi->region);
  myr_free(jacobi->end);
  for (int p = 0; p < jacobi->part_count; ++p) free(jacobi->parts[p].tiles);
  free(jacobi->parts);
}

struct jacobi_tile jacobi_tile_at(const struct jacobi* jacobi, int tile) {
  const int part = (int)(((long)(tile + 1) * jacobi->part_count - 1) / jacobi->tile_total);
  return jacobi->parts[part].tiles[tile - first_tile(jacobi, part)];
}

float* jacobi_row(const struct jacobi* jacobi, int row) {
  float* const rows = jacobi_tile_at(jacobi, row / jacobi->tile_rows).rows;
  return rows + (size_t)(row % jacobi->tile_rows) * (size_t)jacobi->columns;
}

void jacobi_set_edges(const struct jacobi* jacobi) {
  const size_t columns = (size_t)jacobi->columns, row_bytes = columns * sizeof(float);
  for (int i = 0; i < jacobi->tile_total; ++i) {
    const struct jacobi_tile tile = jacobi_tile_at(jacobi, i);
    memcpy(tile.edges[0], tile.rows, row_bytes);
    memcpy(tile.edges[0] + columns, tile.rows + (size_t)(jacobi->tile_rows - 1) * columns,
           row_bytes);
  }
}

/* `row` is a copy of what `to` has been. */
static void step_row(const float* restrict north, const float* restrict row,
                     const float* restrict south, float* restrict to, int columns) {
  for (int c = 1; c < columns - 1; ++c) {
    to[c] = 0.25f * ((north[c] + south[c]) + (row[c - 1] + row[c + 1]));
  }
}

void jacobi_step(const float* north, float* rows, const float* south, float* new_edges,
                 int row_count, int columns) {
  const size_t width = (size_t)columns, row_bytes = width * sizeof(float);
  float* const last = rows + (size_t)(row_count - 1) * width;
  float* const scratch = memory(2 * row_bytes);
  float *old = scratch, *old_above = scratch + width;
  const float* above = north != NULL ? north + width : NULL;
  for (float* row = rows; row <= last; row += width) {
    const float* below = row < last ? row + width : south;
    memcpy(old, row, row_bytes);
    if (above != NULL && below != NULL) step_row(above, old, below, row, columns);
    above = old;
    float* const swap = old;
    old = old_above, old_above = swap;
  }
  free(scratch);
  memcpy(new_edges, rows, row_bytes);
  memcpy(new_edges + width, last, row_bytes);
  kernel_work((uint64_t)row_count * width * (COST_JACOBI_POINT + COST_COPY) +
              2 * width * COST_COPY);
}

void jacobi_copy_edges(const float* edges, float* to, int columns) {
  memcpy(to, edges, 2 * (size_t)columns * sizeof(float));
  kernel_work(2 * (uint64_t)columns * COST_COPY);
}
