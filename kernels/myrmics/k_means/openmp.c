/* SPDX-License-Identifier: Apache-2.0
 *
 * K-means clustering with OpenMP's tasks: one for each tile of points, one for each part's sums,
 * and one that moves the centres. These read a single copy of the centres. Many tasks that work for
 * one after them do so under `in`, and that one has `inout` of the same address.
 */
#include "myrmics/k_means/k_means.h"

static void spawn_part(const struct k_means* data, size_t index) {
  const struct part* points = &data->points.part[index];
  const struct k_means_part* part = &data->part[index];
  const size_t tile_count = points->tile_count, cluster_count = data->cluster_count;
  struct k_means_centre* centres = data->centres;
  struct k_means_sum **lists = part->sums, *total = part->total, **totals = data->totals;
  (void)totals; /* which only depend() names */
  for (size_t i = 0; i < tile_count; ++i) {
    const struct k_means_tile* tile = points->tiles[i];
    struct k_means_sum* sums = lists[i];
#pragma omp task firstprivate(tile, centres, cluster_count, sums) depend(in : centres[0], total[0])
    k_means_assign(tile, centres, cluster_count, sums);
  }
#pragma omp task firstprivate(lists, tile_count, cluster_count, total) depend(inout : total[0]) \
    depend(in : totals[0])
  k_means_add(lists, tile_count, cluster_count, total);
}

static void spawn_iteration(const struct k_means* data) {
  const size_t part_count = data->points.part_count, cluster_count = data->cluster_count;
  struct k_means_centre *centres = data->centres, **part_centres = data->part_centres;
  struct k_means_sum** totals = data->totals;
  for (size_t p = 0; p < part_count; ++p) spawn_part(data, p);
#pragma omp task firstprivate(totals, part_count, cluster_count, centres, part_centres) \
    depend(inout : totals[0], centres[0])
  k_means_move(totals, part_count, cluster_count, centres, part_centres);
}

void k_means_tasks(struct k_means* data) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < data->iterations; ++i) spawn_iteration(data);
#pragma omp taskwait
  }
}
