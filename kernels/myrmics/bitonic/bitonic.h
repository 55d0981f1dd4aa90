/* SPDX-License-Identifier: Apache-2.0
 *
 * Bitonic sort: the numbers, twice, since each step reads one copy and writes the other; and what
 * tasks do with tiles of them. The programs are bitonic.c, with Myrmics' pragmas, and openmp.c.
 */
#ifndef KERNELS_BITONIC_H
#define KERNELS_BITONIC_H

#include <stdbool.h>
#include <stddef.h>

#include "common/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Neighbouring tiles: the numbers, in the two copies; and what another part has sent. Regions of
 * their own. */
struct bitonic_part {
  myr_region region; /* around the others */
  struct tile_set copy[2], received;
};

struct bitonic {
  myr_region region; /* around all parts */
  struct bitonic_part* part;
  size_t part_count;
  size_t tile_total; /* tiles in all parts, a power of two */
  size_t tile_size;  /* numbers in a tile */
  int sorted;        /* which copy a program has left sorted */
  int* end;          /* the object to wait for; see common/parts.h */
};

/* Allocates everything; the counts and sizes are set. */
void bitonic_allocate(struct bitonic* bitonic);
void bitonic_free(struct bitonic* bitonic);

/* The first tile of a part, counted through all parts; and the part that has a tile. */
static inline size_t bitonic_first_tile(const struct bitonic* bitonic, size_t part) {
  return part * bitonic->tile_total / bitonic->part_count;
}
static inline size_t bitonic_part_with(const struct bitonic* bitonic, size_t tile) {
  return ((tile + 1) * bitonic->part_count - 1) / bitonic->tile_total;
}

/* The tile with this index, counted through all parts. */
static inline int* bitonic_tile(const struct bitonic* bitonic, int copy, size_t index) {
  const size_t part = bitonic_part_with(bitonic, index);
  return (int*)bitonic->part[part].copy[copy].tiles[index - bitonic_first_tile(bitonic, part)];
}

/* Whether the tile with this index keeps the lower half of what it and the tile `distance` away
 * have, in the stage that merges runs of `length` tiles. */
static inline bool bitonic_keeps_low(size_t index, size_t distance, size_t length) {
  return ((index & distance) == 0) == ((index & length) == 0);
}

/* Sorts `count` numbers; `scratch` has room for as many. */
void bitonic_sort(int* numbers, int* scratch, size_t count);
/* Takes the `count` lowest (or highest) of `count` sorted numbers in `a` and as many in `b`. */
void bitonic_merge(const int* a, const int* b, int* to, size_t count, bool low);
/* Copies tiles. */
void bitonic_copy(void* const* from, void* const* to, size_t tile_count, size_t tile_size);

void bitonic_serial(struct bitonic* bitonic);
void bitonic_tasks(struct bitonic* bitonic);

#ifdef __cplusplus
}
#endif
#endif
