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

struct bitonic {
  struct parts numbers[2]; /* of int; parts and tiles are powers of two */
  size_t tile_size;        /* numbers in a tile */
  int sorted;              /* which copy a program has left sorted */
};

/* Whether the tile with this index keeps the lower half of what it and the tile `distance` away
 * have, in the stage that merges runs of `length` tiles. */
static inline bool bitonic_keeps_low(size_t index, size_t distance, size_t length) {
  return ((index & distance) == 0) == ((index & length) == 0);
}

/* Sorts `count` numbers; `scratch` has room for as many. */
void bitonic_sort(int* numbers, int* scratch, size_t count);
/* Takes the `count` lowest (or highest) of `count` sorted numbers in `a` and as many in `b`. */
void bitonic_merge(const int* a, const int* b, int* to, size_t count, bool low);

void bitonic_serial(struct bitonic* bitonic);
void bitonic_tasks(struct bitonic* bitonic);

#ifdef __cplusplus
}
#endif
#endif
