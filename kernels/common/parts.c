/* SPDX-License-Identifier: Apache-2.0
 *
 * Data in regions and objects; see parts.h.
 */
#include "common/parts.h"

#include <stdio.h>
#include <stdlib.h>

static void* memory(size_t bytes) {
  void* const found = malloc(bytes);
  if (found == NULL) {
    fprintf(stderr, "no memory for %zu bytes\n", bytes);
    exit(1);
  }
  return found;
}

struct tile_set tile_set_new(myr_region parent, size_t tile_count, size_t tile_bytes) {
  const struct tile_set set = {.region = myr_region_new(parent, 0),
                               .tiles = memory(tile_count * sizeof(void*))};
  myr_alloc_many(tile_bytes, set.region, tile_count, set.tiles);
  return set;
}

void tile_set_free(struct tile_set* set) {
  myr_region_free(set->region);
  free(set->tiles);
}

struct parts parts_new(size_t part_count, size_t tile_total, struct part_sizes sizes) {
  struct parts parts = {.region = myr_region_new(MYR_ROOT, 99),
                        .part = memory(part_count * sizeof(struct part)),
                        .part_count = part_count,
                        .branches = NULL,
                        .tile_total = tile_total,
                        .end = myr_alloc(sizeof(int), MYR_ROOT)};
  if (sizes.branch_count != 0) parts.branches = memory(sizes.branch_count * sizeof(myr_region));
  for (size_t i = 0; i < sizes.branch_count; ++i) {
    parts.branches[i] = myr_region_new(parts.region, 1);
  }
  for (size_t i = 0; i < part_count; ++i) {
    const size_t first = i * tile_total / part_count, end = (i + 1) * tile_total / part_count;
    const myr_region around = sizes.branch_count == 0
                                  ? parts.region
                                  : parts.branches[i * sizes.branch_count / part_count];
    const struct tile_set set = tile_set_new(around, end - first, sizes.tile);
    parts.part[i] = (struct part){.region = set.region,
                                  .tiles = set.tiles,
                                  .first = first,
                                  .tile_count = end - first,
                                  .local = myr_alloc(sizes.local, set.region)};
  }
  return parts;
}

void parts_free(struct parts* parts) {
  for (size_t i = 0; i < parts->part_count; ++i) {
    struct tile_set set = {parts->part[i].region, parts->part[i].tiles};
    tile_set_free(&set);
  }
  myr_region_free(parts->region);
  myr_free(parts->end);
  free(parts->part);
  free(parts->branches);
}
