/* SPDX-License-Identifier: Apache-2.0
 *
 * Bitonic sort as in the Myrmics paper, section VI-B. Tiles are sorted one by one, then merged in
 * stages; in each step of a stage a tile keeps one half of what it and a partner have. Main spawns
 * a coarse task for each part and step, which holds that part's region and nothing else and spawns
 * a fine task for each tile. If the partners of a part's tiles lie in another part, a task sends
 * them before.
 */
#include "myrmics/bitonic/bitonic.h"

#include <myrmics.h>
#include <stdio.h>
#include <stdlib.h>

/* The fine tasks. */

static void sort_tile(int* numbers, int* scratch, size_t size) {
  bitonic_sort(numbers, scratch, size);
}

static void merge_tile(int* mine, int* theirs, int* to, size_t size, int keeps_low) {
  bitonic_merge(mine, theirs, to, size, keeps_low);
}

/* The coarse tasks: they get regions, and the tables of tiles in these. */

static void sort_part(rid_t region, void** tiles, void** scratches, size_t tile_count,
                      size_t size) {
  (void)region;
  for (size_t i = 0; i < tile_count; ++i) {
    int *numbers = tiles[i], *scratch = scratches[i];
#pragma myrmics task inout(numbers), out(scratch), in(size)
    sort_tile(numbers, scratch, size);
  }
}

/* All tiles of another part. */
static void send_part(rid_t from_region, rid_t to_region, void** from, void** to, size_t tile_count,
                      size_t size) {
  (void)from_region, (void)to_region;
  bitonic_copy(from, to, tile_count, size);
}

/* Tile `i` has the partner `i ^ distance` in `theirs`: in this part, or received from another. */
static void merge_part(rid_t region, void** mine, void** theirs, void** to, size_t first,
                       size_t tile_count, size_t distance, size_t length, size_t size) {
  (void)region;
  size_t distance_within = distance < tile_count ? distance : 0;
  for (size_t i = 0; i < tile_count; ++i) {
    int *my_tile = mine[i], *their_tile = theirs[i ^ distance_within], *to_tile = to[i];
    int keeps_low = bitonic_keeps_low(first + i, distance, length);
#pragma myrmics task in(my_tile, their_tile), out(to_tile), in(size, keeps_low)
    merge_tile(my_tile, their_tile, to_tile, size, keeps_low);
  }
}

/* Main's tasks. */

/* Each part gets the numbers of the part at this distance. */
static void exchange(const struct bitonic* bitonic, int copy, size_t part_distance) {
  size_t tile_count = bitonic->tile_total / bitonic->part_count, size = bitonic->tile_size;
  for (size_t p = 0; p < bitonic->part_count; ++p) {
    const struct tile_set* source = &bitonic->part[p ^ part_distance].copy[copy];
    const struct tile_set* target = &bitonic->part[p].received;
    rid_t from_region = source->region, to_region = target->region;
    void **from = source->tiles, **to = target->tiles;
#pragma myrmics task region in(from_region), region out(to_region), \
    in(from, to, tile_count, size), safe(from, to)
    send_part(from_region, to_region, from, to, tile_count, size);
  }
}

/* One step of a stage: reads a copy and writes the other. */
static void step(const struct bitonic* bitonic, int copy, size_t distance, size_t length) {
  size_t tile_count = bitonic->tile_total / bitonic->part_count, size = bitonic->tile_size;
  const int is_within = distance < tile_count;
  if (!is_within) exchange(bitonic, copy, distance / tile_count);
  for (size_t p = 0; p < bitonic->part_count; ++p) {
    const struct bitonic_part* part = &bitonic->part[p];
    rid_t region = part->region;
    void **mine = part->copy[copy].tiles, **to = part->copy[1 - copy].tiles;
    void** theirs = is_within ? mine : part->received.tiles;
    size_t first = p * tile_count;
#pragma myrmics task region inout(region), notransfer(region), \
    in(mine, theirs, to, first, tile_count, distance, length, size), safe(mine, theirs, to)
    merge_part(region, mine, theirs, to, first, tile_count, distance, length, size);
  }
}

void bitonic_run(struct bitonic* bitonic) {
  size_t size = bitonic->tile_size, tile_count = bitonic->tile_total / bitonic->part_count;
  if ((bitonic->part_count & (bitonic->part_count - 1)) != 0) {
    fprintf(stderr, "bitonic: --parts must be a power of two for coarse tasks\n");
    exit(2);
  }
  for (size_t p = 0; p < bitonic->part_count; ++p) {
    const struct bitonic_part* part = &bitonic->part[p];
    rid_t region = part->region;
    void **tiles = part->copy[0].tiles, **scratches = part->copy[1].tiles;
#pragma myrmics task region inout(region), notransfer(region), \
    in(tiles, scratches, tile_count, size), safe(tiles, scratches)
    sort_part(region, tiles, scratches, tile_count, size);
  }
  int copy = 0;
  for (size_t length = 2; length <= bitonic->tile_total; length *= 2) {
    for (size_t distance = length / 2; distance > 0; distance /= 2) {
      step(bitonic, copy, distance, length);
      copy = 1 - copy;
    }
  }
  bitonic->sorted = copy;
  rid_t all = bitonic->region;
  int* end = bitonic->end;
#pragma myrmics task region inout(all), notransfer(all), out(end)
  parts_reach_end(all, end);
#pragma myrmics wait on(end)
}
