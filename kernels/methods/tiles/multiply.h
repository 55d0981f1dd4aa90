/* SPDX-License-Identifier: Apache-2.0
 *
 * The product of two square tiles, a list of numbers row by row each: what a task of tiled_matmul,
 * matrix_multiply and strassen does.
 *
 * Threads: any, on tiles that nobody else changes; multiply_by_openblas() before there are others.
 */
#ifndef KERNELS_WORK_TILES_MULTIPLY_H
#define KERNELS_WORK_TILES_MULTIPLY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TILE_STEP = 16 };

/* C += A B, of tiles with `side` rows and columns, a multiple of TILE_STEP. */
void multiply_tile(const float* a, const float* b, float* c, size_t side);

/* From now on multiply_tile() is OpenBLAS's product. False: OpenBLAS is not installed. */
bool multiply_by_openblas(void);

#ifdef __cplusplus
}
#endif
#endif
