/* SPDX-License-Identifier: Apache-2.0
 *
 * K-means clustering with OpenMP's tasks: one for each tile of points, one for each part's sums,
 * and one that moves the centres.
 */
#include "k_means/k_means.h"

static void spawn_iteration(const struct k_means* data) {
  const size_t part_count = data->points.part_count, tile_count = data->points.tile_count;
  const size_t cluster_count = data->cluster_count;
  struct k_means_centre* centres = data->centres;
  struct k_means_sum** totals = data->totals;
  for (size_t p = 0; p < part_count; ++p) {
    struct k_means_sum** lists = (struct k_means_sum**)data->sums.part[p].tiles;
    for (size_t i = 0; i < tile_count; ++i) {
      const struct k_means_tile* points = data->points.part[p].tiles[i];
      struct k_means_sum* sums = lists[i];
#pragma omp task firstprivate(points, centres, cluster_count, sums), depend(in : centres[0]), \
    depend(out : sums[0])
      k_means_assign(points, centres, cluster_count, sums);
    }
#pragma omp task firstprivate(lists, tile_count, cluster_count),   \
    depend(iterator(size_t i = 0 : tile_count), in : lists[i][0]), \
    depend(out : lists[tile_count][0])
    k_means_add(lists, tile_count, cluster_count, lists[tile_count]);
  }
#pragma omp task firstprivate(totals, part_count, centres, cluster_count), \
    depend(iterator(size_t p = 0 : part_count), in : totals[p][0]), depend(inout : centres[0])
  {
    struct k_means_sum total[K_MEANS_CLUSTERS_MAX];
    k_means_add(totals, part_count, cluster_count, total);
    k_means_move(total, cluster_count, centres);
  }
}

void k_means_tasks(struct k_means* data) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < data->iterations; ++i) spawn_iteration(data);
#pragma omp taskwait
  }
}
