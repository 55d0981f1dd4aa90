/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.c with barriers, as OpenMP's parallel loops, each with its barrier.
 */
#include "picos/stream/stream.h"

/* Called by all threads. */
static void run_round(const struct stream* s) {
  const size_t size = s->block_size;
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t i = 0; i < s->block_count; ++i) copy_block(s->a[i], s->c[i], size);
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t i = 0; i < s->block_count; ++i) scale_block(s->c[i], s->b[i], size);
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t i = 0; i < s->block_count; ++i) add_blocks(s->a[i], s->b[i], s->c[i], size);
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t i = 0; i < s->block_count; ++i) triad_blocks(s->b[i], s->c[i], s->a[i], size);
}

void stream_tasks(struct stream* s) {
#pragma omp parallel
  for (size_t round = 0; round < s->rounds; ++round) run_round(s);
}
