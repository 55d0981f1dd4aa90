/* SPDX-License-Identifier: Apache-2.0
 *
 * Three arrays in blocks, and the four steps of STREAM on them; see README.md. The program with
 * tasks is stream.c, those with OpenMP are the deps_* and barr_* beside it; what a task does is in
 * work.c.
 */
#ifndef STREAM_H
#define STREAM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct stream {
  size_t block_count;
  size_t block_size; /* numbers, a multiple of STREAM_LINE */
  size_t rounds;
  int barriers; /* one after each step */
  double** a;
  double** b;
  double** c;
};

enum { STREAM_LINE = 8 }; /* numbers of a cache line */
#define STREAM_FACTOR 0.5

void copy_block(const double* from, double* to, size_t count);  /* to = from */
void scale_block(const double* from, double* to, size_t count); /* to = factor * from */
void add_blocks(const double* x, const double* y, double* to, size_t count); /* to = x + y */
/* to = x + factor * y */
void triad_blocks(const double* x, const double* y, double* to, size_t count);

void stream_serial(struct stream* s);
void stream_tasks(struct stream* s);

#ifdef __cplusplus
}
#endif
#endif
