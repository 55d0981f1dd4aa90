/* SPDX-License-Identifier: Apache-2.0
 *
 * K-means clustering as in the Myrmics paper, section VI-B. Two trees of regions: the points, and
 * the buffers of the reduction at the end of each iteration. Main spawns a coarse task for each
 * part of either; it spawns a fine task for each tile of points and one that adds up what these
 * found. A last task adds up the parts and moves the centres, which all tasks of the next iteration
 * read.
 */
#include "k_means/k_means.h"

#include <myrmics.h>

/* The fine tasks. */

static void assign_tile(struct k_means_tile* points, struct k_means_centre* centres,
                        struct k_means_sum* sums, size_t cluster_count) {
  k_means_assign(points, centres, cluster_count, sums);
}

/* All lists of a part into the one at their end. */
static void add_tiles(rid_t sums_region, void** lists, size_t tile_count, size_t cluster_count) {
  (void)sums_region;
  k_means_add((struct k_means_sum* const*)lists, tile_count, cluster_count, lists[tile_count]);
}

/* The coarse task. */
static void assign_part(rid_t points_region, rid_t sums_region, void** tiles, void** lists,
                        struct k_means_centre* centres, size_t tile_count, size_t cluster_count) {
  (void)points_region;
  for (size_t i = 0; i < tile_count; ++i) {
    struct k_means_tile* points = tiles[i];
    struct k_means_sum* sums = lists[i];
#pragma myrmics task in(points, centres), out(sums), in(cluster_count)
    assign_tile(points, centres, sums, cluster_count);
  }
#pragma myrmics task region inout(sums_region), in(lists, tile_count, cluster_count), safe(lists)
  add_tiles(sums_region, lists, tile_count, cluster_count);
}

/* The end of an iteration. */
static void move_centres(rid_t sums_region, struct k_means_sum** totals, size_t part_count,
                         struct k_means_centre* centres, size_t cluster_count) {
  (void)sums_region;
  struct k_means_sum total[K_MEANS_CLUSTERS_MAX];
  k_means_add(totals, part_count, cluster_count, total);
  k_means_move(total, cluster_count, centres);
}

void k_means_run(struct k_means* data) {
  size_t part_count = data->points.part_count, tile_count = data->points.tile_count;
  size_t cluster_count = data->cluster_count;
  struct k_means_centre* centres = data->centres;
  for (int i = 0; i < data->iterations; ++i) {
    for (size_t p = 0; p < part_count; ++p) {
      rid_t points_region = data->points.part[p].region, sums_region = data->sums.part[p].region;
      void **tiles = data->points.part[p].tiles, **lists = data->sums.part[p].tiles;
#pragma myrmics task region in(points_region), region inout(sums_region), in(centres), \
    in(tiles, lists, tile_count, cluster_count), safe(tiles, lists)
      assign_part(points_region, sums_region, tiles, lists, centres, tile_count, cluster_count);
    }
    rid_t sums_region = data->sums.region;
    struct k_means_sum** totals = data->totals;
#pragma myrmics task region in(sums_region), inout(centres), \
    in(totals, part_count, cluster_count), safe(totals)
    move_centres(sums_region, totals, part_count, centres, cluster_count);
  }
#pragma myrmics wait on(centres)
}
