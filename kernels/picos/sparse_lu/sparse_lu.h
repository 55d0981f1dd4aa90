/* SPDX-License-Identifier: Apache-2.0
 *
 * The factors L and U of a matrix in square blocks most of which are empty; see README.md. The
 * program with tasks is sparse_lu.c, with OpenMP's tasks openmp.c; what a task does is in work.c.
 */
#ifndef SPARSE_LU_H
#define SPARSE_LU_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The blocks, row by row; NULL: empty, and empty in L and U too. Each is a list of numbers, row by
 * row, filled up to whole cache lines. */
struct sparse_lu {
  size_t block_count; /* in a row of blocks */
  size_t side;        /* of a block */
  size_t area;        /* numbers of a block, those that fill it up among them */
  double** blocks;
};

/* A block on the diagonal becomes its factors: U, and L below its diagonal of ones. */
void factor_block(double* a, size_t side);
/* A block beside it: X becomes L^-1 X. */
void solve_lower(const double* factors, double* x, size_t side);
/* A block below it: X becomes X U^-1. */
void solve_upper(const double* factors, double* x, size_t side);
/* Any block: C -= A B. */
void update_block(const double* a, const double* b, double* c, size_t side);

void sparse_lu_serial(struct sparse_lu* m);
void sparse_lu_tasks(struct sparse_lu* m);

#ifdef __cplusplus
}
#endif
#endif
