/* SPDX-License-Identifier: Apache-2.0
 *
 * Bitonic sort as in the Myrmics paper, section VI-B. Tiles are sorted one by one, then merged in
 * stages; in each step of a stage a tile keeps one half of what it and a partner have. Main spawns
 * a coarse task for each part and step. It holds its region of both copies and, if the partners of
 * its tiles lie in another part, that part's region; and spawns a fine task for each tile.
 */
#include "bitonic/bitonic.h"

#include <myrmics.h>

/* The fine tasks. */

static void sort_tile(int* numbers, int* scratch, size_t size) {
  bitonic_sort(numbers, scratch, size);
}

static void merge_tile(int* mine, int* theirs, int* to, size_t size, int keeps_low) {
  bitonic_merge(mine, theirs, to, size, keeps_low);
}

/* The coarse tasks: they get regions, and the tables of tiles in these. */

static void sort_part(rid_t region, rid_t scratch_region, void** tiles, void** scratches,
                      size_t tile_count, size_t size) {
  (void)region, (void)scratch_region;
  for (size_t i = 0; i < tile_count; ++i) {
    int *numbers = tiles[i], *scratch = scratches[i];
#pragma myrmics task inout(numbers), out(scratch), in(size)
    sort_tile(numbers, scratch, size);
  }
}

/* The partners lie in this part: tile `i` has tile `i ^ distance`. */
static void merge_part(rid_t region, rid_t to_region, void** mine, void** to, size_t first,
                       size_t tile_count, size_t distance, size_t length, size_t size) {
  (void)region, (void)to_region;
  for (size_t i = 0; i < tile_count; ++i) {
    int *my_tile = mine[i], *their_tile = mine[i ^ distance], *to_tile = to[i];
    int keeps_low = bitonic_keeps_low(first + i, distance, length);
#pragma myrmics task in(my_tile, their_tile), out(to_tile), in(size, keeps_low)
    merge_tile(my_tile, their_tile, to_tile, size, keeps_low);
  }
}

/* The partners lie in another part: tile `i` has tile `i` there. All tiles keep the same half. */
static void exchange_part(rid_t region, rid_t their_region, rid_t to_region, void** mine,
                          void** theirs, void** to, size_t tile_count, size_t size, int keeps_low) {
  (void)region, (void)their_region, (void)to_region;
  for (size_t i = 0; i < tile_count; ++i) {
    int *my_tile = mine[i], *their_tile = theirs[i], *to_tile = to[i];
#pragma myrmics task in(my_tile, their_tile), out(to_tile), in(size, keeps_low)
    merge_tile(my_tile, their_tile, to_tile, size, keeps_low);
  }
}

/* Main's tasks for one step of a stage. */
static void step(const struct parts* from, const struct parts* to, size_t distance, size_t length,
                 size_t size) {
  size_t tile_count = from->tile_count;
  for (size_t p = 0; p < from->part_count; ++p) {
    rid_t region = from->part[p].region, to_region = to->part[p].region;
    void **mine = from->part[p].tiles, **to_tiles = to->part[p].tiles;
    size_t first = p * tile_count;
    if (distance < tile_count) {
#pragma myrmics task region in(region), region inout(to_region), \
    in(mine, to_tiles, first, tile_count, distance, length, size), safe(mine, to_tiles)
      merge_part(region, to_region, mine, to_tiles, first, tile_count, distance, length, size);
    } else {
      const struct part* partner = &from->part[p ^ (distance / tile_count)];
      rid_t their_region = partner->region;
      void** theirs = partner->tiles;
      int keeps_low = bitonic_keeps_low(first, distance, length);
#pragma myrmics task region in(region, their_region), region inout(to_region), \
    in(mine, theirs, to_tiles, tile_count, size, keeps_low), safe(mine, theirs, to_tiles)
      exchange_part(region, their_region, to_region, mine, theirs, to_tiles, tile_count, size,
                    keeps_low);
    }
  }
}

void bitonic_run(struct bitonic* bitonic) {
  const struct parts* from = &bitonic->numbers[0];
  const struct parts* to = &bitonic->numbers[1];
  size_t size = bitonic->tile_size, tile_count = from->tile_count;
  for (size_t p = 0; p < from->part_count; ++p) {
    rid_t region = from->part[p].region, scratch_region = to->part[p].region;
    void **tiles = from->part[p].tiles, **scratches = to->part[p].tiles;
#pragma myrmics task region inout(region, scratch_region), in(tiles, scratches, tile_count, size), \
    safe(tiles, scratches)
    sort_part(region, scratch_region, tiles, scratches, tile_count, size);
  }
  for (size_t length = 2; length <= from->part_count * tile_count; length *= 2) {
    for (size_t distance = length / 2; distance > 0; distance /= 2) {
      step(from, to, distance, length, size);
      const struct parts* const swap = from;
      from = to, to = swap;
    }
  }
  bitonic->sorted = from == &bitonic->numbers[1];
#pragma myrmics wait on(region from->region, region to->region)
}
