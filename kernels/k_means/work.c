/* SPDX-License-Identifier: Apache-2.0
 *
 * The data of k-means and what its tasks do; see k_means.h.
 */
#include <string.h>

#include "common/wide.h"
#include "k_means/k_means.h"

enum { BLOCK = 128 }; /* points whose distances are compared side by side */

struct k_means k_means_new(size_t part_count, size_t tile_count, size_t tile_points,
                           size_t cluster_count, int iterations) {
  const size_t tile_bytes = sizeof(struct k_means_tile) + 3 * tile_points * sizeof(float);
  struct k_means data = {
      .points = parts_new(part_count, tile_count, tile_bytes),
      .sums = parts_new(part_count, tile_count + 1, cluster_count * sizeof(struct k_means_sum)),
      .centres = myr_alloc(cluster_count * sizeof(struct k_means_centre), MYR_ROOT),
      .cluster_count = cluster_count,
      .iterations = iterations};
  for (size_t i = 0; i < part_count * tile_count; ++i) {
    *(struct k_means_tile*)parts_tile(&data.points, i) = (struct k_means_tile){0, tile_points};
  }
  data.totals = myr_alloc(part_count * sizeof(struct k_means_sum*), data.sums.region);
  for (size_t p = 0; p < part_count; ++p) data.totals[p] = data.sums.part[p].tiles[tile_count];
  return data;
}

void k_means_free(struct k_means* data) {
  parts_free(&data->points);
  parts_free(&data->sums);
  myr_free(data->centres);
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
}

void k_means_add(struct k_means_sum* const* lists, size_t count, size_t cluster_count,
                 struct k_means_sum* total) {
  memcpy(total, lists[0], cluster_count * sizeof *total);
  for (size_t i = 1; i < count; ++i) {
    for (size_t c = 0; c < cluster_count; ++c) {
      total[c].x += lists[i][c].x;
      total[c].y += lists[i][c].y;
      total[c].z += lists[i][c].z;
      total[c].count += lists[i][c].count;
    }
  }
}

void k_means_move(const struct k_means_sum* total, size_t cluster_count,
                  struct k_means_centre* centres) {
  for (size_t c = 0; c < cluster_count; ++c) {
    if (total[c].count == 0) continue;
    const double count = (double)total[c].count;
    centres[c] = (struct k_means_centre){(float)(total[c].x / count), (float)(total[c].y / count),
                                         (float)(total[c].z / count)};
  }
}
