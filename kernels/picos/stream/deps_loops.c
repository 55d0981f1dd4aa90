/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.c without barriers, as OpenMP's parallel loops. A block
 * depends on no other.
 */
#include "common/openmp_loop.h"
#include "picos/stream/stream.h"

/* Called by all threads. */
static void run_round(const struct stream* s) {
  const size_t size = s->block_size;
  LOOP_WITHOUT_BARRIER for (size_t i = 0; i < s->block_count; ++i)
      copy_block(s->a[i], s->c[i], size);
  LOOP_WITHOUT_BARRIER for (size_t i = 0; i < s->block_count; ++i)
      scale_block(s->c[i], s->b[i], size);
  LOOP_WITHOUT_BARRIER for (size_t i = 0; i < s->block_count; ++i)
      add_blocks(s->a[i], s->b[i], s->c[i], size);
  LOOP_WITHOUT_BARRIER for (size_t i = 0; i < s->block_count; ++i)
      triad_blocks(s->b[i], s->c[i], s->a[i], size);
}

void stream_tasks(struct stream* s) {
#pragma omp parallel
  for (size_t round = 0; round < s->rounds; ++round) run_round(s);
}
