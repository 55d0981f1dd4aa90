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

/* The numbers, in the two copies; and what another part has sent. Regions of their own. */
struct bitonic_part {
  myr_region region; /* around the others */
  struct tile_set copy[2], received;
};

struct bitonic {
  myr_region region; /* around all parts */
  struct bitonic_part* part;
  size_t part_count, tile_count; /* tiles in a part; both are powers of two */
  size_t tile_size;              /* numbers in a tile */
  int sorted;                    /* which copy a program has left sorted */
  int* end;                      /* the object to wait for; see common/parts.h */
};

/* Allocates everything; the counts and sizes are set. */
void bitonic_allocate(struct bitonic* bitonic);
void bitonic_free(struct bitonic* bitonic);

/* The tile with this index, counted through all parts. */
static inline int* bitonic_tile(const struct bitonic* bitonic, int copy, size_t index) {
  const struct bitonic_part* const part = &bitonic->part[index / bitonic->tile_count];
  return (int*)part->copy[copy].tiles[index % bitonic->tile_count];
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
