/* SPDX-License-Identifier: Apache-2.0
 *
 * The product of square matrices that are cut twice: into parts, a region each, and a part into
 * tiles. The programs are matrix_multiply.c, with Myrmics' pragmas, and openmp.c.
 */
#ifndef KERNELS_MATRIX_MULTIPLY_H
#define KERNELS_MATRIX_MULTIPLY_H

#include "common/parts.h"
#include "methods/tiles/multiply.h"

#ifdef __cplusplus
extern "C" {
#endif

/* C += A B. The parts of a matrix are listed row by row, and so are the tiles of a part and the
 * numbers of a tile. */
struct matrix_multiply {
  struct parts a, b, c;
  struct tile_set* received; /* in the region of each part of C: room for the tiles of a part of A,
                                and after them for those of a part of B */
  size_t part_side;          /* parts in a row of parts */
  size_t tile_side;          /* tiles in a row of a part's tiles */
  size_t side;               /* numbers in a row of a tile */
};

/* Allocates `received` for the parts of C. */
struct tile_set* matrix_multiply_buffers(const struct parts* c, size_t tile_bytes);
void matrix_multiply_free_buffers(struct tile_set* received, size_t part_count);

/* C += A B for one tile of each: multiply_tile(). */
void matrix_multiply_add(const float* a, const float* b, float* c, size_t side);
/* Copies a part's tiles. */
void matrix_multiply_copy(void* const* from, void* const* to, size_t tile_count, size_t side);

void matrix_multiply_serial(struct matrix_multiply* m);
void matrix_multiply_tasks(struct matrix_multiply* m);

#ifdef __cplusplus
}
#endif
#endif
