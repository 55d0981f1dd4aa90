/* SPDX-License-Identifier: Apache-2.0
 *
 * K-means clustering as OpenMP's parallel loops. The sums are added up by tiles, as in all
 * programs of this kernel, so that the result does not depend on the threads.
 */
#include "myrmics/k_means/k_means.h"

/* Called by all threads. */
static void run_iteration(const struct k_means* data) {
  const size_t part_count = data->points.part_count, cluster_count = data->cluster_count;
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t i = 0; i < data->points.tile_total; ++i) {
    const struct part* points = parts_with(&data->points, i);
    const struct k_means_part* part = &data->part[points - data->points.part];
    k_means_assign(points->tiles[i - points->first], data->centres, cluster_count,
                   part->sums[i - points->first]);
  }
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t p = 0; p < part_count; ++p) {
    const struct k_means_part* part = &data->part[p];
    k_means_add(part->sums, data->points.part[p].tile_count, cluster_count, part->total);
  }
#pragma omp single
  k_means_move(data->totals, part_count, cluster_count, data->centres, data->part_centres);
}

void k_means_tasks(struct k_means* data) {
#pragma omp parallel
  for (int i = 0; i < data->iterations; ++i) run_iteration(data);
}
