/* SPDX-License-Identifier: Apache-2.0
 *
 * stream_deps.c as OpenMP's parallel loops. With the static schedule a thread has the same blocks
 * in each of them, and a block depends on no other, so that no barrier is needed.
 */
#include "picos/stream/stream.h"

#ifdef OPENMP_STATIC
#define LOOP _Pragma("omp for schedule(static) nowait")
#else
#define LOOP _Pragma("omp for schedule(dynamic)")
#endif

/* Called by all threads. */
static void run_round(const struct stream* s) {
  const size_t size = s->block_size;
  LOOP for (size_t i = 0; i < s->block_count; ++i) copy_block(s->a[i], s->c[i], size);
  LOOP for (size_t i = 0; i < s->block_count; ++i) scale_block(s->c[i], s->b[i], size);
  LOOP for (size_t i = 0; i < s->block_count; ++i) add_blocks(s->a[i], s->b[i], s->c[i], size);
  LOOP for (size_t i = 0; i < s->block_count; ++i) triad_blocks(s->b[i], s->c[i], s->a[i], size);
}

void stream_deps_tasks(struct stream* s) {
#pragma omp parallel
  for (size_t round = 0; round < s->rounds; ++round) run_round(s);
}
