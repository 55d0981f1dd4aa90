/* SPDX-License-Identifier: Apache-2.0
 *
 * K-means clustering with MPI. Each rank has some tiles of points and sums up those of each
 * cluster; the sums of all ranks are added up on a tree, and every rank moves its own centres.
 *
 * The tree adds in another order than the serial program. That changes the last bits of sums in
 * double precision, which the centres, in single precision, do not show but by a rare chance.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "chip/ranks.h"
#include "myrmics/k_means/k_means.h"

enum { NUMBERS = 4 }; /* of a sum, for MPI: the count is exact as a number, too */

static void pack(const struct k_means_sum* sums, size_t cluster_count, double* numbers) {
  for (size_t c = 0; c < cluster_count; ++c, numbers += NUMBERS) {
    numbers[0] = sums[c].x, numbers[1] = sums[c].y, numbers[2] = sums[c].z;
    numbers[3] = (double)sums[c].count;
  }
}

static void unpack(const double* numbers, size_t cluster_count, struct k_means_sum* sums) {
  for (size_t c = 0; c < cluster_count; ++c, numbers += NUMBERS) {
    sums[c] = (struct k_means_sum){numbers[0], numbers[1], numbers[2], (int64_t)numbers[3]};
  }
}

/* Adds up this rank's, then all ranks' sums. */
static void add_ranks(struct k_means_sum* sums, size_t cluster_count) {
  double mine[NUMBERS * K_MEANS_CLUSTERS_MAX], all[NUMBERS * K_MEANS_CLUSTERS_MAX];
  pack(sums, cluster_count, mine);
  MPI_Allreduce(mine, all, NUMBERS * (int)cluster_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  unpack(all, cluster_count, sums);
}

static struct k_means_sum* new_sums(size_t list_count, size_t cluster_count) {
  return ranks_memory(list_count * cluster_count * sizeof(struct k_means_sum));
}

static void run_rank(void* argument) {
  struct k_means* const data = argument;
  const size_t cluster_count = data->cluster_count;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const size_t first = ranks_first(data->points.tile_total, rank);
  const size_t tile_count = ranks_first(data->points.tile_total, rank + 1) - first;
  /* For k_means_move(), a rank is the only part. */
  struct k_means_centre moved[K_MEANS_CLUSTERS_MAX], centres[K_MEANS_CLUSTERS_MAX];
  struct k_means_centre* const copies[] = {centres};
  memcpy(moved, data->centres, cluster_count * sizeof *moved);
  memcpy(centres, moved, cluster_count * sizeof *centres);
  /* A list for each tile, and one for all of them. */
  struct k_means_sum* const sums = new_sums(tile_count + 1, cluster_count);
  struct k_means_sum** const lists = ranks_memory((tile_count + 1) * sizeof *lists);
  for (size_t i = 0; i <= tile_count; ++i) lists[i] = sums + i * cluster_count;
  struct k_means_sum* const total = lists[tile_count];
  ranks_start();
  for (int i = 0; i < data->iterations; ++i) {
    for (size_t k = 0; k < tile_count; ++k) {
      k_means_assign(parts_tile(&data->points, first + k), centres, cluster_count, lists[k]);
    }
    memset(total, 0, cluster_count * sizeof *total);
    if (tile_count > 0) k_means_add(lists, tile_count, cluster_count, total);
    add_ranks(total, cluster_count);
    k_means_move(&total, 1, cluster_count, moved, copies);
  }
  ranks_stop();
  if (rank == 0) {
    memcpy(data->centres, centres, cluster_count * sizeof *centres);
    ranks_result(data->centres, cluster_count * sizeof *centres);
  }
  free(lists);
  free(sums);
}

void k_means_tasks(struct k_means* data) { ranks_run(run_rank, data); }
