/* SPDX-License-Identifier: Apache-2.0
 *
 * Jacobi's iteration on a square grid in square tiles; see README.md. The program with tasks is
 * tiled_jacobi.c, with OpenMP's tasks openmp.c; what a task does is in work.c.
 */
#ifndef TILED_JACOBI_H
#define TILED_JACOBI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Two grids, which are source and target of a step in turn. A grid is a list of tiles, row by row,
 * and a tile a list of numbers, row by row. Around the grid everything is zero. */
struct tiled_jacobi {
  size_t tile_count; /* in a row of tiles */
  size_t side;       /* of a tile, at most TILE_SIDE_MAX, a multiple of TILE_STEP */
  size_t steps;
  float** grids[2];
};

enum { TILE_STEP = 4, TILE_SIDE_MAX = 2048 };

/* A tile and those around it; NULL: the grid ends there. */
struct tile_view {
  const float* centre;
  const float* north;
  const float* south;
  const float* west;
  const float* east;
};
struct tile_view view_tile(const struct tiled_jacobi* grid, size_t step, size_t row, size_t column);

/* Every number of `to` becomes the mean of its four neighbours. */
void relax_tile(struct tile_view from, float* to, size_t side);

void tiled_jacobi_serial(struct tiled_jacobi* grid);
void tiled_jacobi_tasks(struct tiled_jacobi* grid);

#ifdef __cplusplus
}
#endif
#endif
