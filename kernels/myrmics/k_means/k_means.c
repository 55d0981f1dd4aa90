/* SPDX-License-Identifier: Apache-2.0
 *
 * K-means clustering as in the Myrmics paper, section VI-B. Two trees of regions: the points with
 * their sums, and what the parts tell each other. In each iteration main spawns a coarse task for
 * each part, which holds that part's two regions and nothing else. It spawns a fine task for each
 * tile of points and one that adds up what these found. At the end of an iteration a task on the
 * second tree adds up the parts and gives each part the new centres.
 */
#include "myrmics/k_means/k_means.h"

#include <myrmics.h>

/* The fine tasks. */

static void assign_tile(struct k_means_tile* points, struct k_means_centre* centres,
                        struct k_means_sum* sums, size_t cluster_count) {
  k_means_assign(points, centres, cluster_count, sums);
}

static void add_tiles(rid_t sums_region, struct k_means_sum** sums, size_t tile_count,
                      size_t cluster_count, struct k_means_sum* total) {
  (void)sums_region;
  k_means_add(sums, tile_count, cluster_count, total);
}

/* The coarse task. */
static void assign_part(rid_t points_region, rid_t exchange_region, void** tiles, size_t tile_count,
                        rid_t sums_region, struct k_means_sum** sums,
                        struct k_means_centre* centres, struct k_means_sum* total,
                        size_t cluster_count) {
  (void)points_region, (void)exchange_region;
  for (size_t i = 0; i < tile_count; ++i) {
    struct k_means_tile* points = tiles[i];
    struct k_means_sum* tile_sums = sums[i];
#pragma myrmics task in(points, centres), out(tile_sums), in(cluster_count)
    assign_tile(points, centres, tile_sums, cluster_count);
  }
#pragma myrmics task region in(sums_region), out(total), in(sums, tile_count, cluster_count), \
    safe(sums)
  add_tiles(sums_region, sums, tile_count, cluster_count, total);
}

/* The end of an iteration. */
static void move_centres(rid_t exchange, struct k_means_sum** totals, size_t part_count,
                         size_t cluster_count, struct k_means_centre* centres,
                         struct k_means_centre** part_centres) {
  (void)exchange;
  k_means_move(totals, part_count, cluster_count, centres, part_centres);
}

static void spawn_parts(const struct k_means* data) {
  size_t cluster_count = data->cluster_count;
  for (size_t p = 0; p < data->points.part_count; ++p) {
    const struct part* points = &data->points.part[p];
    const struct k_means_part* part = &data->part[p];
    rid_t points_region = points->region, exchange_region = part->exchange_region;
    rid_t sums_region = part->sums_region;
    void** tiles = points->tiles;
    size_t tile_count = points->tile_count;
    struct k_means_sum **sums = part->sums, *total = part->total;
    struct k_means_centre* centres = part->centres;
#pragma myrmics task region inout(points_region, exchange_region),           \
    notransfer(points_region, exchange_region),                              \
    in(tiles, tile_count, sums_region, sums, centres, total, cluster_count), \
    safe(tiles, sums, centres, total)
    assign_part(points_region, exchange_region, tiles, tile_count, sums_region, sums, centres,
                total, cluster_count);
  }
}

void k_means_run(struct k_means* data) {
  size_t part_count = data->points.part_count, cluster_count = data->cluster_count;
  rid_t exchange = data->exchange;
  struct k_means_sum** totals = data->totals;
  struct k_means_centre *centres = data->centres, **part_centres = data->part_centres;
  for (int i = 0; i < data->iterations; ++i) {
    spawn_parts(data);
#pragma myrmics task region inout(exchange),                      \
    in(totals, part_count, cluster_count, centres, part_centres), \
    safe(totals, centres, part_centres)
    move_centres(exchange, totals, part_count, cluster_count, centres, part_centres);
  }
#pragma myrmics wait on(centres)
}
