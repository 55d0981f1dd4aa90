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

/* The sums of the points in one cluster. */
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

/* What belongs to a part besides its points. The regions are apart, so that a task may have one of
 * them while others have the rest. */
struct k_means_part {
  myr_region sums_region;         /* in the part's region */
  struct k_means_sum** sums;      /* a list of sums, one a cluster, for each tile; objects there */
  myr_region exchange_region;     /* what parts tell each other; in the region for that */
  struct k_means_sum* total;      /* the list for the whole part */
  struct k_means_centre* centres; /* the part's copy */
};

/* Some parts that follow each other: a region around them, and in it what they tell others. */
struct k_means_branch {
  struct k_means_sum* total;
  struct k_means_centre* centres;
};

/* Some clusters, and their centres: an object. */
struct k_means_slice {
  size_t first, count;
  struct k_means_centre* centres;
};
enum { K_MEANS_SLICES = 4 };

struct k_means {
  struct parts points; /* of k_means_tile */
  struct k_means_part* part;
  struct k_means_branch* branch;
  size_t branch_count;
  myr_region exchange; /* around the exchange regions; what follows lies in it */
  struct k_means_sum** totals;
  struct k_means_centre** part_centres;
  struct k_means_centre* centres;
  struct k_means_slice slices[K_MEANS_SLICES]; /* the centres again, for programs that use these */
  size_t slice_count;
  size_t cluster_count;
  int iterations;
};

struct k_means_shape {
  size_t branch_count; /* 0: none */
  size_t part_count, tile_total, tile_points, cluster_count;
  int iterations;
};
/* Allocates everything; the tiles get the size and no points. */
struct k_means k_means_new(struct k_means_shape shape);
void k_means_free(struct k_means* data);
/* Sets where the centres begin. */
void k_means_start(const struct k_means* data, const struct k_means_centre* centres);

/* Finds the nearest centre of each point: sums up the points of each centre. */
void k_means_assign(const struct k_means_tile* points, const struct k_means_centre* centres,
                    size_t cluster_count, struct k_means_sum* sums);
/* Adds `count` lists of sums up. */
void k_means_add(struct k_means_sum* const* lists, size_t count, size_t cluster_count,
                 struct k_means_sum* total);
/* The same, into the first of them. */
void k_means_add_up(struct k_means_sum* const* lists, size_t count, size_t cluster_count);
/* The end of an iteration: moves each centre to the mean of its points; one without points stays.
 * Gives each part a copy. */
void k_means_move(struct k_means_sum* const* totals, size_t part_count, size_t cluster_count,
                  struct k_means_centre* centres, struct k_means_centre* const* part_centres);
/* The same for a slice; gives no copies. */
void k_means_move_slice(struct k_means_sum* const* totals, size_t part_count,
                        struct k_means_slice slice);
/* Copies all centres. */
void k_means_join(const struct k_means_slice* slices, size_t slice_count,
                  struct k_means_centre* centres);

/* Gives copies of the centres away. */
void k_means_copy(const struct k_means_centre* centres, size_t cluster_count,
                  struct k_means_centre* const* copies, size_t copy_count);

void k_means_serial(struct k_means* data);
void k_means_tasks(struct k_means* data);

#ifdef __cplusplus
}
#endif
#endif
