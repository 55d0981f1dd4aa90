/* SPDX-License-Identifier: Apache-2.0
 *
 * Three arrays in blocks, and the four steps of STREAM on them; see README.md. The programs with
 * tasks are stream_deps.c and stream_barr.c, those with OpenMP the *_openmp.c beside them; what a
 * task does is in work.c.
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

void stream_deps_serial(struct stream* s);
void stream_deps_tasks(struct stream* s);
void stream_barr_serial(struct stream* s);
void stream_barr_tasks(struct stream* s);

#ifdef __cplusplus
}
#endif
#endif
