/* SPDX-License-Identifier: Apache-2.0
 *
 * The data of k-means and what its tasks do; see k_means.h.
 */
#include "chip/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/costs.h"
#include "common/wide.h"
#include "myrmics/k_means/k_means.h"

enum { BLOCK = 128 }; /* points whose distances are compared side by side */

static void make_slices(struct k_means* data) {
  for (size_t i = 0; i < K_MEANS_SLICES; ++i) {
    const size_t first = i * data->cluster_count / K_MEANS_SLICES;
    const size_t count = (i + 1) * data->cluster_count / K_MEANS_SLICES - first;
    if (count == 0) continue;
    data->slices[data->slice_count++] = (struct k_means_slice){
        first, count, myr_alloc(count * sizeof(struct k_means_centre), data->exchange)};
  }
}

/* REQUIRES: all parts have their exchange regions. */
static void fill_part(struct k_means_part* part, const struct part* points, size_t cluster_count) {
  const size_t list_bytes = cluster_count * sizeof(struct k_means_sum);
  const struct tile_set sums = tile_set_new(points->region, points->tile_count, list_bytes);
  part->sums_region = sums.region;
  part->sums = (struct k_means_sum**)sums.tiles;
  part->total = myr_alloc(list_bytes, part->exchange_region);
  part->centres = myr_alloc(cluster_count * sizeof(struct k_means_centre), part->exchange_region);
}

struct k_means k_means_new(struct k_means_shape shape) {
  const size_t tile_bytes = sizeof(struct k_means_tile) + 3 * shape.tile_points * sizeof(float);
  const size_t part_count = shape.part_count;
  struct k_means data = {
      .points =
          parts_new(part_count, shape.tile_total,
                    (struct part_sizes){.tile = tile_bytes, .branch_count = shape.branch_count}),
      .part = malloc(part_count * sizeof(struct k_means_part)),
      .branch = malloc(shape.branch_count * sizeof(struct k_means_branch)),
      .branch_count = shape.branch_count,
      .exchange = myr_region_new(MYR_ROOT, 99),
      .cluster_count = shape.cluster_count,
      .iterations = shape.iterations};
  if (data.part == NULL || (data.branch == NULL && shape.branch_count != 0)) {
    fprintf(stderr, "k_means: no memory for %zu parts\n", part_count);
    exit(1);
  }
  for (size_t i = 0; i < shape.tile_total; ++i) {
    *(struct k_means_tile*)parts_tile(&data.points, i) =
        (struct k_means_tile){0, shape.tile_points};
  }
  data.totals = myr_alloc(part_count * sizeof(struct k_means_sum*), data.exchange);
  data.part_centres = myr_alloc(part_count * sizeof(struct k_means_centre*), data.exchange);
  data.centres = myr_alloc(shape.cluster_count * sizeof(struct k_means_centre), data.exchange);
  make_slices(&data);
  /* New regions go round the schedulers, except for those in a region of a lowest one. So if
   * nothing comes between, both regions of a part are the matter of one, and so are its tasks. */
  for (size_t p = 0; p < part_count; ++p) {
    const myr_region around =
        data.points.branches == NULL ? data.exchange : data.points.part[p].region;
    data.part[p].exchange_region = myr_region_new(around, 0);
  }
  for (size_t i = 0; i < shape.branch_count; ++i) {
    const myr_region region = data.points.branches[i];
    data.branch[i].total = myr_alloc(shape.cluster_count * sizeof(struct k_means_sum), region);
    data.branch[i].centres = myr_alloc(shape.cluster_count * sizeof(struct k_means_centre), region);
  }
  for (size_t p = 0; p < part_count; ++p) {
    fill_part(&data.part[p], &data.points.part[p], shape.cluster_count);
    data.totals[p] = data.part[p].total;
    data.part_centres[p] = data.part[p].centres;
  }
  return data;
}

void k_means_free(struct k_means* data) {
  for (size_t p = 0; p < data->points.part_count; ++p) {
    struct tile_set sums = {data->part[p].sums_region, (void**)data->part[p].sums};
    tile_set_free(&sums);
  }
  parts_free(&data->points);
  myr_region_free(data->exchange);
  free(data->part);
  free(data->branch);
}

void k_means_copy(const struct k_means_centre* centres, size_t cluster_count,
                  struct k_means_centre* const* copies, size_t copy_count) {
  for (size_t i = 0; i < copy_count; ++i) {
    memcpy(copies[i], centres, cluster_count * sizeof *centres);
  }
  kernel_work(cluster_count * copy_count * 3 * COST_COPY);
}

void k_means_start(const struct k_means* data, const struct k_means_centre* centres) {
  memcpy(data->centres, centres, data->cluster_count * sizeof *centres);
  k_means_copy(centres, data->cluster_count, data->part_centres, data->points.part_count);
  for (size_t i = 0; i < data->slice_count; ++i) {
    const struct k_means_slice slice = data->slices[i];
    memcpy(slice.centres, centres + slice.first, slice.count * sizeof *centres);
  }
  for (size_t i = 0; i < data->branch_count; ++i) {
    k_means_copy(centres, data->cluster_count, &data->branch[i].centres, 1);
  }
}

/* Sets nearest[i] to the index of the centre that is nearest to point i of the block; of several,
 * to the first one's. Without a branch for each point, so that points fill vector registers. */
static inline void find_nearest(const float* x, const float* y, const float* z, size_t count,
                                const struct k_means_centre* centres, int cluster_count,
                                int* nearest) {
  float least[BLOCK];
  for (size_t i = 0; i < count; ++i) least[i] = __builtin_inff(), nearest[i] = 0;
  for (int c = 0; c < cluster_count; ++c) {
    const struct k_means_centre centre = centres[c];
    for (size_t i = 0; i < count; ++i) {
      const float dx = x[i] - centre.x, dy = y[i] - centre.y, dz = z[i] - centre.z;
      const float distance = dx * dx + dy * dy + dz * dz;
      nearest[i] = distance < least[i] ? c : nearest[i];
      least[i] = distance < least[i] ? distance : least[i];
    }
  }
}

KERNEL_WIDE void k_means_assign(const struct k_means_tile* points,
                                const struct k_means_centre* centres, size_t cluster_count,
                                struct k_means_sum* sums) {
  const float *x = points->numbers, *y = x + points->room, *z = y + points->room;
  memset(sums, 0, cluster_count * sizeof *sums);
  for (size_t first = 0; first < points->count; first += BLOCK) {
    const size_t rest = points->count - first;
    const size_t count = rest < BLOCK ? rest : BLOCK;
    int nearest[BLOCK];
    find_nearest(x + first, y + first, z + first, count, centres, (int)cluster_count, nearest);
    for (size_t i = 0; i < count; ++i) {
      struct k_means_sum* sum = &sums[nearest[i]];
      sum->x += x[first + i];
      sum->y += y[first + i];
      sum->z += z[first + i];
      sum->count += 1;
    }
  }
  kernel_work(points->count * (cluster_count * COST_K_MEANS_DISTANCE + COST_K_MEANS_SUM));
}

static void add_list(struct k_means_sum* total, const struct k_means_sum* list,
                     size_t cluster_count) {
  for (size_t c = 0; c < cluster_count; ++c) {
    total[c].x += list[c].x;
    total[c].y += list[c].y;
    total[c].z += list[c].z;
    total[c].count += list[c].count;
  }
}

void k_means_add_up(struct k_means_sum* const* lists, size_t count, size_t cluster_count) {
  for (size_t i = 1; i < count; ++i) add_list(lists[0], lists[i], cluster_count);
  kernel_work((count - 1) * cluster_count * COST_K_MEANS_SUM);
}

void k_means_add(struct k_means_sum* const* lists, size_t count, size_t cluster_count,
                 struct k_means_sum* total) {
  memcpy(total, lists[0], cluster_count * sizeof *total);
  for (size_t i = 1; i < count; ++i) add_list(total, lists[i], cluster_count);
  kernel_work(count * cluster_count * COST_K_MEANS_SUM);
}

void k_means_move_slice(struct k_means_sum* const* totals, size_t part_count,
                        struct k_means_slice slice) {
  struct k_means_sum total[K_MEANS_CLUSTERS_MAX];
  memcpy(total, totals[0] + slice.first, slice.count * sizeof *total);
  for (size_t p = 1; p < part_count; ++p) add_list(total, totals[p] + slice.first, slice.count);
  for (size_t c = 0; c < slice.count; ++c) {
    if (total[c].count == 0) continue;
    const double count = (double)total[c].count;
    slice.centres[c] = (struct k_means_centre){
        (float)(total[c].x / count), (float)(total[c].y / count), (float)(total[c].z / count)};
  }
  kernel_work(slice.count * (part_count * COST_K_MEANS_SUM + COST_K_MEANS_MOVE));
}

void k_means_move(struct k_means_sum* const* totals, size_t part_count, size_t cluster_count,
                  struct k_means_centre* centres, struct k_means_centre* const* part_centres) {
  k_means_move_slice(totals, part_count, (struct k_means_slice){0, cluster_count, centres});
  k_means_copy(centres, cluster_count, part_centres, part_count);
}

void k_means_join(const struct k_means_slice* slices, size_t slice_count,
                  struct k_means_centre* centres) {
  for (size_t i = 0; i < slice_count; ++i) {
    const struct k_means_slice slice = slices[i];
    memcpy(centres + slice.first, slice.centres, slice.count * sizeof *centres);
    kernel_work(slice.count * 3 * COST_COPY);
  }
}
