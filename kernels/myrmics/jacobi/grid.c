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

static struct jacobi_regions new_regions(myr_region around, int level_hint) {
  return (struct jacobi_regions){
      myr_region_new(around, level_hint),
      {myr_region_new(around, level_hint), myr_region_new(around, level_hint)}};
}

/* New regions go round the schedulers below, so the regions of a part all go to the same one if
 * those of one kind are made one after the other. */
static void new_group(struct jacobi* jacobi, int group, myr_region around) {
  const int first = jacobi_first_part(jacobi, group), end = jacobi_first_part(jacobi, group + 1);
  const struct jacobi_regions regions = jacobi->groups[group] = new_regions(around, 1);
  struct jacobi_part* const parts = jacobi->parts;
  for (int p = first; p < end; ++p) parts[p].region = myr_region_new(around, 0);
  for (int p = first; p < end; ++p) parts[p].in.rows = myr_region_new(regions.rows, 0);
  for (int side = 0; side < 2; ++side) {
    for (int p = first; p < end; ++p) {
      parts[p].in.edges[side] = myr_region_new(regions.edges[side], 0);
    }
  }
}

static void new_groups(struct jacobi* jacobi) {
  const int count = jacobi->group_count;
  jacobi->groups = memory((size_t)count * sizeof(struct jacobi_regions));
  myr_region* const around = memory((size_t)count * sizeof(myr_region));
  for (int g = 0; g < count; ++g) around[g] = myr_region_new(jacobi->region, 1);
  for (int g = 0; g < count; ++g) new_group(jacobi, g, around[g]);
  free(around);
}

static void fill_part(struct jacobi_part* part, const struct jacobi* jacobi, int tile_count) {
  const size_t row_bytes = (size_t)jacobi->columns * sizeof(float);
  part->tile_count = tile_count;
  part->tiles = memory((size_t)tile_count * sizeof(struct jacobi_tile));
  for (int i = 0; i < tile_count; ++i) {
    struct jacobi_tile* const tile = &part->tiles[i];
    tile->rows = myr_alloc((size_t)jacobi->tile_rows * row_bytes, part->in.rows);
    tile->edges[0] = myr_alloc(2 * row_bytes, part->in.edges[0]);
    tile->edges[1] = myr_alloc(2 * row_bytes, part->in.edges[1]);
  }
  part->above = myr_alloc(2 * row_bytes, part->region);
  part->below = myr_alloc(2 * row_bytes, part->region);
}

/* The first tile of a part. */
static int first_tile(const struct jacobi* jacobi, int part) {
  return (int)((long)part * jacobi->tile_total / jacobi->part_count);
}

void jacobi_allocate(struct jacobi* jacobi) {
  jacobi->region = myr_region_new(MYR_ROOT, 99);
  jacobi->end = myr_alloc(sizeof(int), MYR_ROOT);
  jacobi->parts = memory((size_t)jacobi->part_count * sizeof(struct jacobi_part));
  if (jacobi->group_count > 0) new_groups(jacobi);
  for (int p = 0; p < jacobi->part_count; ++p) {
    struct jacobi_part* const part = &jacobi->parts[p];
    if (jacobi->group_count == 0) {
      part->region = myr_region_new(jacobi->region, 0);
      part->in = new_regions(part->region, 0);
    }
    fill_part(part, jacobi, first_tile(jacobi, p + 1) - first_tile(jacobi, p));
  }
}

int jacobi_first_part(const struct jacobi* jacobi, int group) {
  return (int)((long)group * jacobi->part_count / jacobi->group_count);
}

void jacobi_free(struct jacobi* jacobi) {
  myr_region_free(jacobi->region);
  myr_free(jacobi->end);
  for (int p = 0; p < jacobi->part_count; ++p) free(jacobi->parts[p].tiles);
  free(jacobi->parts);
  if (jacobi->group_count > 0) free(jacobi->groups);
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
