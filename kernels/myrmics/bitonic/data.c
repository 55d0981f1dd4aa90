/* SPDX-License-Identifier: Apache-2.0
 *
 * The regions and tiles of bitonic sort; see bitonic.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "myrmics/bitonic/bitonic.h"

void bitonic_allocate(struct bitonic* bitonic) {
  const size_t tile_bytes = bitonic->tile_size * sizeof(int);
  bitonic->region = myr_region_new(MYR_ROOT, 99);
  bitonic->end = myr_alloc(sizeof(int), MYR_ROOT);
  bitonic->part = malloc(bitonic->part_count * sizeof(struct bitonic_part));
  if (bitonic->part == NULL) {
    fprintf(stderr, "bitonic: no memory for %zu parts\n", bitonic->part_count);
    exit(1);
  }
  for (size_t p = 0; p < bitonic->part_count; ++p) {
    struct bitonic_part* const part = &bitonic->part[p];
    part->region = myr_region_new(bitonic->region, 0);
    const size_t tile_count = bitonic_first_tile(bitonic, p + 1) - bitonic_first_tile(bitonic, p);
    part->copy[0] = tile_set_new(part->region, tile_count, tile_bytes);
    part->copy[1] = tile_set_new(part->region, tile_count, tile_bytes);
    part->received = tile_set_new(part->region, tile_count, tile_bytes);
  }
}

void bitonic_free(struct bitonic* bitonic) {
  for (size_t p = 0; p < bitonic->part_count; ++p) {
    struct bitonic_part* const part = &bitonic->part[p];
    tile_set_free(&part->copy[0]);
    tile_set_free(&part->copy[1]);
    tile_set_free(&part->received);
  }
  myr_region_free(bitonic->region);
  myr_free(bitonic->end);
  free(bitonic->part);
}
