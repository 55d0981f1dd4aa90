/* SPDX-License-Identifier: Apache-2.0
 *
 * K-means clustering of points in space: the data, in regions, and what tasks do with a tile of
 * points. The programs are k_means.c, with Myrmics' pragmas, and openmp.c.
 *
 * Sums are added up tile by tile, then part by part, always in the same order, so that all programs
 * give the same bits.
 */
#ifndef KERNELS_K_MEANS_H
#define KERNELS_K_MEANS_H

#include <stddef.h>
#include <stdint.h>

#include "common/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { K_MEANS_CLUSTERS_MAX = 256 };

struct k_means_centre {
  float x, y, z;
};

/* Of the points in one cluster. */
struct k_means_sum {
  double x, y, z;
  int64_t count;
};

/* A tile of points. All x coordinates stand side by side, then all y, all z. */
struct k_means_tile {
  size_t count;
  size_t room;     /* for points */
  float numbers[]; /* 3 * room */
};

struct k_means {
  struct parts points; /* of k_means_tile */
  struct parts sums;   /* a list of k_means_sum, one a cluster: for each tile of points, and at the
                          end of each part for the whole part */
  struct k_means_sum** totals;    /* the lists at the end of the parts; in the region of `sums` */
  struct k_means_centre* centres; /* an object */
  size_t cluster_count;
  int iterations;
};

/* Allocates everything; the tiles get the size and no points. */
struct k_means k_means_new(size_t part_count, size_t tile_count, size_t tile_points,
                           size_t cluster_count, int iterations);
void k_means_free(struct k_means* data);

/* Finds the nearest centre of each point: sums up the points of each centre. */
void k_means_assign(const struct k_means_tile* points, const struct k_means_centre* centres,
                    size_t cluster_count, struct k_means_sum* sums);
/* Adds `count` lists of sums up. */
void k_means_add(struct k_means_sum* const* lists, size_t count, size_t cluster_count,
                 struct k_means_sum* total);
/* Moves each centre to the mean of its points; one without points stays. */
void k_means_move(const struct k_means_sum* total, size_t cluster_count,
                  struct k_means_centre* centres);

void k_means_serial(struct k_means* data);
void k_means_tasks(struct k_means* data);

#ifdef __cplusplus
}
#endif
#endif
