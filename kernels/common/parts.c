/* SPDX-License-Identifier: Apache-2.0
 *
 * Data in regions and objects; see parts.h.
 */
#include "common/parts.h"

#include <stdio.h>
#include <stdlib.h>

struct parts parts_new(size_t part_count, size_t tile_count, size_t tile_bytes) {
  struct parts parts = {.region = myr_region_new(MYR_ROOT, 99),
                        .part = malloc(part_count * sizeof(struct part)),
                        .part_count = part_count,
                        .tile_count = tile_count};
  if (parts.part == NULL) {
    fprintf(stderr, "no memory for %zu parts\n", part_count);
    exit(1);
  }
  for (size_t i = 0; i < part_count; ++i) {
    struct part* part = &parts.part[i];
    part->region = myr_region_new(parts.region, 0);
    part->tiles = myr_alloc(tile_count * sizeof(void*), part->region);
    myr_alloc_many(tile_bytes, part->region, tile_count, part->tiles);
  }
  return parts;
}

void parts_free(struct parts* parts) {
  myr_region_free(parts->region);
  free(parts->part);
}
