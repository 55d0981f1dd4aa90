/* SPDX-License-Identifier: Apache-2.0
 *
 * Data in regions and objects; see parts.h.
 */
#include "common/parts.h"

#include <stdio.h>
#include <stdlib.h>

struct tile_set tile_set_new(myr_region parent, size_t tile_count, size_t tile_bytes) {
  struct tile_set set = {.region = myr_region_new(parent, 0)};
  set.tiles = myr_alloc(tile_count * sizeof(void*), set.region);
  myr_alloc_many(tile_bytes, set.region, tile_count, set.tiles);
  return set;
}

struct parts parts_new(size_t part_count, size_t tile_total, struct part_sizes sizes) {
  struct parts parts = {.region = myr_region_new(MYR_ROOT, 99),
                        .part = malloc(part_count * sizeof(struct part)),
                        .part_count = part_count,
                        .tile_total = tile_total};
  if (parts.part == NULL) {
    fprintf(stderr, "no memory for %zu parts\n", part_count);
    exit(1);
  }
  for (size_t i = 0; i < part_count; ++i) {
    const size_t first = i * tile_total / part_count, end = (i + 1) * tile_total / part_count;
    const struct tile_set set = tile_set_new(parts.region, end - first, sizes.tile);
    parts.part[i] = (struct part){.region = set.region,
                                  .tiles = set.tiles,
                                  .first = first,
                                  .tile_count = end - first,
                                  .local = myr_alloc(sizes.local, set.region)};
  }
  return parts;
}

void parts_free(struct parts* parts) {
  myr_region_free(parts->region);
  free(parts->part);
}
