/* SPDX-License-Identifier: Apache-2.0
 *
 * Bitonic sort with OpenMP's tasks: one for each tile and step. A tile's first number stands for
 * the tile.
 */
#include "myrmics/bitonic/bitonic.h"

static void step(const struct bitonic* bitonic, int copy, size_t distance, size_t length) {
  const size_t size = bitonic->tile_size;
  for (size_t i = 0; i < bitonic->tile_total; ++i) {
    const int* mine = bitonic_tile(bitonic, copy, i);
    const int* theirs = bitonic_tile(bitonic, copy, i ^ distance);
    int* target = bitonic_tile(bitonic, 1 - copy, i);
    const bool keeps_low = bitonic_keeps_low(i, distance, length);
#pragma omp task firstprivate(mine, theirs, target, size, keeps_low), \
    depend(in : mine[0], theirs[0]), depend(out : target[0])
    bitonic_merge(mine, theirs, target, size, keeps_low);
  }
}

static void sort(struct bitonic* bitonic) {
  const size_t size = bitonic->tile_size, total = bitonic->tile_total;
  for (size_t i = 0; i < total; ++i) {
    int* tile = bitonic_tile(bitonic, 0, i);
    int* scratch = bitonic_tile(bitonic, 1, i);
#pragma omp task firstprivate(tile, scratch, size), depend(inout : tile[0]), \
    depend(out : scratch[0])
    bitonic_sort(tile, scratch, size);
  }
  int copy = 0;
  for (size_t length = 2; length <= total; length *= 2) {
    for (size_t distance = length / 2; distance > 0; distance /= 2) {
      step(bitonic, copy, distance, length);
      copy = 1 - copy;
    }
  }
  bitonic->sorted = copy;
}

void bitonic_tasks(struct bitonic* bitonic) {
#pragma omp parallel
#pragma omp single
  {
    sort(bitonic);
#pragma omp taskwait
  }
}
