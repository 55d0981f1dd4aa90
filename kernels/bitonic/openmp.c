/* SPDX-License-Identifier: Apache-2.0
 *
 * Bitonic sort with OpenMP's tasks: one for each tile and step. A tile's first number stands for
 * the tile.
 */
#include "bitonic/bitonic.h"

static void step(const struct parts* from, const struct parts* to, size_t distance, size_t length,
                 size_t size) {
  for (size_t i = 0; i < from->part_count * from->tile_count; ++i) {
    const int* mine = parts_tile(from, i);
    const int* theirs = parts_tile(from, i ^ distance);
    int* target = parts_tile(to, i);
    const bool keeps_low = bitonic_keeps_low(i, distance, length);
#pragma omp task firstprivate(mine, theirs, target, size, keeps_low), \
    depend(in : mine[0], theirs[0]), depend(out : target[0])
    bitonic_merge(mine, theirs, target, size, keeps_low);
  }
}

static void sort(struct bitonic* bitonic) {
  const struct parts* from = &bitonic->numbers[0];
  const struct parts* to = &bitonic->numbers[1];
  const size_t size = bitonic->tile_size, total = from->part_count * from->tile_count;
  for (size_t i = 0; i < total; ++i) {
    int* tile = parts_tile(from, i);
    int* scratch = parts_tile(to, i);
#pragma omp task firstprivate(tile, scratch, size), depend(inout : tile[0]), \
    depend(out : scratch[0])
    bitonic_sort(tile, scratch, size);
  }
  for (size_t length = 2; length <= total; length *= 2) {
    for (size_t distance = length / 2; distance > 0; distance /= 2) {
      step(from, to, distance, length, size);
      const struct parts* const swap = from;
      from = to, to = swap;
    }
  }
  bitonic->sorted = from == &bitonic->numbers[1];
}

void bitonic_tasks(struct bitonic* bitonic) {
#pragma omp parallel
#pragma omp single
  {
    sort(bitonic);
#pragma omp taskwait
  }
}
