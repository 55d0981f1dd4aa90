/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.c without barriers, as one of OpenMP's parallel loops. A block depends on no other, so an
 * iteration is all the rounds of one.
 */
#include "picos/stream/stream.h"

static void run_block(const struct stream* s, size_t i) {
  const size_t size = s->block_size;
  for (size_t round = 0; round < s->rounds; ++round) {
    copy_block(s->a[i], s->c[i], size);
    scale_block(s->c[i], s->b[i], size);
    add_blocks(s->a[i], s->b[i], s->c[i], size);
    triad_blocks(s->b[i], s->c[i], s->a[i], size);
  }
}

void stream_tasks(struct stream* s) {
#pragma omp parallel for schedule(OPENMP_SCHEDULE)
  for (size_t i = 0; i < s->block_count; ++i) run_block(s, i);
}
