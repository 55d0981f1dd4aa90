/* SPDX-License-Identifier: Apache-2.0
 *
 * Bitonic sort with MPI. Each rank sorts its numbers; then, in each step of a stage, it exchanges
 * all of them with a partner and keeps one half of what both have.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "chip/ranks.h"
#include "myrmics/bitonic/bitonic.h"

static size_t numbers_in(const struct bitonic* bitonic) {
  return bitonic->tile_total * bitonic->tile_size;
}

static int* number_at(const struct bitonic* bitonic, size_t index) {
  return bitonic_tile(bitonic, 0, index / bitonic->tile_size) + index % bitonic->tile_size;
}

/* Returns which of the three lists is the sorted one. */
static int* merge_all(int* mine, int* theirs, int* to, size_t count, size_t rank) {
  const size_t rank_count = (size_t)ranks_count();
  for (size_t length = 2; length <= rank_count; length *= 2) {
    for (size_t distance = length / 2; distance > 0; distance /= 2) {
      const int partner = (int)(rank ^ distance);
      MPI_Sendrecv(mine, (int)count, MPI_INT, partner, 0, theirs, (int)count, MPI_INT, partner, 0,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      bitonic_merge(mine, theirs, to, count, bitonic_keeps_low(rank, distance, length));
      int* const swap = mine;
      mine = to, to = swap;
    }
  }
  return mine;
}

static void run_rank(void* argument) {
  const struct bitonic* const bitonic = argument;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const size_t count = numbers_in(bitonic) / (size_t)ranks_count();
  const size_t first = (size_t)rank * count;
  int* const lists = ranks_memory(3 * count * sizeof(int));
  for (size_t i = 0; i < count; ++i) lists[i] = *number_at(bitonic, first + i);
  ranks_start();
  bitonic_sort(lists, lists + count, count);
  const int* const sorted = merge_all(lists, lists + count, lists + 2 * count, count, (size_t)rank);
  ranks_stop();
  for (size_t i = 0; i < count; ++i) {
    int* const number = number_at(bitonic, first + i);
    *number = sorted[i];
    ranks_result(number, sizeof *number);
  }
  free(lists);
}

void bitonic_tasks(struct bitonic* bitonic) {
  const size_t rank_count = (size_t)ranks_count();
  if ((rank_count & (rank_count - 1)) != 0 || rank_count > numbers_in(bitonic)) {
    ranks_refuse("the ranks must be a power of two, and no more than numbers");
  }
  ranks_run(run_rank, bitonic);
  bitonic->sorted = 0;
}
