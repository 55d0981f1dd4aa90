/* SPDX-License-Identifier: Apache-2.0
 *
 * The product of two square matrices after Strassen: seven products of half the size instead of
 * eight, and again in each of them, down to leaves that are multiplied plainly. A matrix that is no
 * leaf lies in memory as its four quadrants, one behind the other, each in the same way; so a
 * quadrant is one range, and it is a row of chunks, each as large as a leaf.
 *
 * The programs are strassen.c and openmp.c; what their tasks do is in work.c.
 */
#ifndef KERNELS_STRASSEN_H
#define KERNELS_STRASSEN_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { STRASSEN_SUMS = 10, STRASSEN_PRODUCTS = 7 };

/* C = A B. */
struct strassen {
  size_t side; /* of the matrices: that of a leaf, doubled some times */
  size_t leaf; /* a multiple of TILE_STEP; see methods/tiles/multiply.h */
  bool loops;  /* the style: parallel loops, or tasks in their own order */
  const float* a;
  const float* b;
  float* c;
};

/* target = x + y, or x - y with a `sign` of -1. */
struct strassen_sum {
  const float* x;
  const float* y;
  float sign;
  float* target;
};

/* target = x * y, matrices of half the size. */
struct strassen_product {
  const float* x;
  const float* y;
  float* target;
};

/* target = x + y + z - minus */
struct strassen_result {
  const float* x;
  const float* y;
  const float* z;
  const float* minus;
  float* target;
};

/* One level: its three steps, and their operands. */
struct strassen_level {
  size_t half;        /* side of a quadrant */
  size_t quadrant;    /* numbers of one */
  size_t chunk;       /* numbers of a chunk */
  size_t chunk_count; /* of a quadrant */
  struct strassen_sum sums[STRASSEN_SUMS];
  struct strassen_product products[STRASSEN_PRODUCTS];
  struct strassen_sum side_results[2];    /* C12 and C21 */
  struct strassen_result main_results[2]; /* C11 and C22 */
  float* memory;                          /* of the sums and products */
};

/* Takes memory for the sums and products of C = A B, and gives it back. Ends the program if there
 * is none. */
void strassen_begin(struct strassen_level* level, const struct strassen* s);
void strassen_end(struct strassen_level* level);

/* What the tasks do: `count` numbers of a sum or a result, and a product of leaves. */
void strassen_add(struct strassen_sum sum, size_t count);
void strassen_collect(struct strassen_result result, size_t count);
void strassen_multiply_leaf(const float* a, const float* b, float* c, size_t side);

/* The operands of a chunk of a sum or a result. */
static inline struct strassen_sum strassen_sum_chunk(const struct strassen_level* level,
                                                     const struct strassen_sum* sum, size_t chunk) {
  const size_t at = chunk * level->chunk;
  return (struct strassen_sum){sum->x + at, sum->y + at, sum->sign, sum->target + at};
}
static inline struct strassen_result strassen_result_chunk(const struct strassen_level* level,
                                                           const struct strassen_result* result,
                                                           size_t chunk) {
  const size_t at = chunk * level->chunk;
  return (struct strassen_result){result->x + at, result->y + at, result->z + at,
                                  result->minus + at, result->target + at};
}

void strassen_serial(const struct strassen* s);
void strassen_tasks(const struct strassen* s);

#ifdef __cplusplus
}
#endif
#endif
