/* SPDX-License-Identifier: Apache-2.0
 *
 * The factorisation A = L L^T of a symmetric matrix in square tiles; see README.md. The program
 * with tasks is cholesky.c, over the C++ interface closures.cpp, with OpenMP's tasks openmp.c; what
 * a task does is in tile.cpp.
 */
#ifndef CHOLESKY_H
#define CHOLESKY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TILE_STEP = 16, TILE_SIDE_MAX = 512 };

/* The tiles on and below the diagonal, row by row. A tile is a list of numbers, by columns. */
struct cholesky {
  size_t tile_count; /* in a row of tiles */
  size_t side;       /* of a tile: a multiple of TILE_STEP, at most TILE_SIDE_MAX */
  double** tiles;
};

/* REQUIRES: column <= row. */
static inline double* tile_at(const struct cholesky* m, size_t row, size_t column) {
  return m->tiles[row * (row + 1) / 2 + column];
}

/* The steps. Each gives the same bits whenever it is called with the same numbers. */

/* A tile on the diagonal: A becomes L; what is above the diagonal loses its meaning. */
void factor_tile(double* a, size_t side);
/* A tile below a factored one: X becomes X L^-T. */
void solve_tile(const double* l, double* x, size_t side);
/* A tile on the diagonal: C -= A A^T, on and below the diagonal. */
void update_diagonal(const double* a, double* c, size_t side);
/* Any other tile: C -= A B^T. */
void update_tile(const double* a, const double* b, double* c, size_t side);

/* Replaces A by L. */
void cholesky_serial(struct cholesky* m);
void cholesky_tasks(struct cholesky* m);

#ifdef __cplusplus
}

void cholesky_closures(cholesky* m);

/* From now on the steps are OpenBLAS's. False: OpenBLAS is not installed. */
bool factor_by_openblas();
#endif
#endif
