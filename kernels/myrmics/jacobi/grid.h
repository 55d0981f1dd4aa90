/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of the Jacobi iteration. It is cut into parts, a region each, and a part into tiles of
 * some rows. A tile is changed in place, so it leaves its first and its last row, its edges, for
 * its neighbours to read: twice, in turn by iteration, since a neighbour may still read the old
 * ones when the tile is already written. What a part needs of its neighbours is copied to it.
 */
#ifndef MYR_KERNELS_JACOBI_GRID_H
#define MYR_KERNELS_JACOBI_GRID_H

#include <myr/myr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Objects of three regions of the part. An edge object is two rows: the tile's first and its last
 * one. */
struct jacobi_tile {
  float* rows;
  float* edges[2]; /* after an even number of iterations, and after an odd one */
};

struct jacobi_part {
  myr_region region; /* around the three that follow */
  myr_region rows_region, edge_regions[2];
  struct jacobi_tile* tiles; /* plain memory, which is not changed any more */
  int tile_count;
  float* above; /* copies of the rows above and below the part */
  float* below;
};

struct jacobi {
  int part_count, tile_total; /* tiles in all parts */
  int tile_rows, columns;
  int iterations;
  int is_recorded;   /* with loops, iterations are a recorded step, two at a time */
  myr_region region; /* around all parts */
  struct jacobi_part* parts;
  int* end; /* the object to wait for; see common/parts.h */
};

/* Allocates the table; the other members are set. REQUIRES: tile_rows >= 2, tile_total >=
 * part_count. */
void jacobi_allocate(struct jacobi* jacobi);
void jacobi_free(struct jacobi* jacobi);

/* One tile, and one row, counted through all parts. */
struct jacobi_tile jacobi_tile_at(const struct jacobi* jacobi, int tile);
float* jacobi_row(const struct jacobi* jacobi, int row);
/* Sets the edges before the first iteration, from the rows. */
void jacobi_set_edges(const struct jacobi* jacobi);

/* Replaces each number of a tile by the mean of its four neighbours. `north` are the edges of the
 * tile above, `south` those of the tile below. The border of the whole table stays: its first and
 * last columns, and the first or last row of a tile without a neighbour there (NULL). */
void jacobi_step(const float* north, float* rows, const float* south, float* new_edges,
                 int row_count, int columns);
/* Copies a tile's edges. */
void jacobi_copy_edges(const float* edges, float* to, int columns);

/* The programs: `iterations` steps. */
void jacobi_serial(struct jacobi* jacobi);
void jacobi_tasks(struct jacobi* jacobi);

#ifdef __cplusplus
}
#endif
#endif
