/* SPDX-License-Identifier: Apache-2.0
 *
 * Bitonic sort as OpenMP's parallel loops over the tiles, one a step.
 */
#include "myrmics/bitonic/bitonic.h"

/* Called by all threads. */
static void step(const struct bitonic* bitonic, int copy, size_t distance, size_t length) {
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t i = 0; i < bitonic->tile_total; ++i) {
    bitonic_merge(bitonic_tile(bitonic, copy, i), bitonic_tile(bitonic, copy, i ^ distance),
                  bitonic_tile(bitonic, 1 - copy, i), bitonic->tile_size,
                  bitonic_keeps_low(i, distance, length));
  }
}

void bitonic_tasks(struct bitonic* bitonic) {
  const size_t total = bitonic->tile_total;
  int sorted = 0;
#pragma omp parallel
  {
    int copy = 0;
#pragma omp for schedule(OPENMP_SCHEDULE)
    for (size_t i = 0; i < total; ++i) {
      bitonic_sort(bitonic_tile(bitonic, 0, i), bitonic_tile(bitonic, 1, i), bitonic->tile_size);
    }
    for (size_t length = 2; length <= total; length *= 2) {
      for (size_t distance = length / 2; distance > 0; distance /= 2) {
        step(bitonic, copy, distance, length);
        copy = 1 - copy;
      }
    }
#pragma omp single
    sorted = copy;
  }
  bitonic->sorted = sorted;
}
