/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of the Jacobi iteration, twice: each iteration reads one and writes the other. A table
 * is cut into parts, a region each, and a part into tiles of some rows. The first and the last row
 * of a tile are objects of their own, since they are all that its neighbours need.
 */
#ifndef MYR_KERNELS_JACOBI_GRID_H
#define MYR_KERNELS_JACOBI_GRID_H

#include <myr/myr.h>

#ifdef __cplusplus
extern "C" {
#endif

struct jacobi_tile {
  float *top, *middle, *bottom; /* middle: the rows between, side by side */
};

struct jacobi_part {
  myr_region region;
  struct jacobi_tile* tiles; /* an object of the region */
  float *first, *last;       /* rows of the part, for who may not look into the region */
};

struct jacobi_grid {
  myr_region region; /* around all parts */
  struct jacobi_part* parts;
};

struct jacobi {
  int part_count, tile_count; /* tiles in a part */
  int tile_rows, columns;
  int iterations;
  struct jacobi_grid grid[2];
};

/* Allocates both tables; the other members are set. REQUIRES: tile_rows >= 2. */
void jacobi_allocate(struct jacobi* jacobi);
void jacobi_free(struct jacobi* jacobi);

/* One row of grid[which], counted through all parts. */
float* jacobi_row(const struct jacobi* jacobi, int which, int row);

/* Replaces each number of a tile by the mean of its four neighbours. `north` is the row above the
 * tile, `south` the one below. The border of the whole table stays: its first and last columns, and
 * the first or last row of a tile without a neighbour there (NULL). */
void jacobi_step(const float* north, struct jacobi_tile from, const float* south,
                 struct jacobi_tile to, int rows, int columns);

/* The programs: `iterations` steps from grid[0]; the last one wrote grid[iterations % 2]. */
void jacobi_serial(struct jacobi* jacobi);
void jacobi_tasks(struct jacobi* jacobi);

#ifdef __cplusplus
}
#endif
#endif
