/* SPDX-License-Identifier: Apache-2.0
 *
 * The product of two square matrices in square tiles; see README.md. The program with tasks is
 * tiled_matmul.c, with OpenMP's tasks openmp.c; what a task does is in work.c.
 */
#ifndef TILED_MATMUL_H
#define TILED_MATMUL_H

#include <myr/myr.h>

#include "methods/tiles/multiply.h"

#ifdef __cplusplus
extern "C" {
#endif

/* C += A B. A matrix is a list of tiles, row by row, and a tile a list of numbers, row by row. */
struct tiled_matmul {
  size_t tile_count; /* in a row of tiles */
  size_t side;       /* of a tile, a multiple of TILE_STEP */
  float** a;
  float** b;
  float** c;
  myr_region factors[2], product; /* where the tiles of A, of B and of C lie */
};

/* C += A B, of a tile each. */
void multiply_tiles(const float* a, const float* b, float* c, size_t side);

void tiled_matmul_serial(struct tiled_matmul* m);
void tiled_matmul_tasks(struct tiled_matmul* m);

#ifdef __cplusplus
}
#endif
#endif
