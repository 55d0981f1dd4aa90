/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.c with OpenMP's tasks and barriers. These are all the order it needs, so no dependence is
 * declared.
 */
#include "picos/stream/stream.h"

static void run_round(const struct stream* s) {
  const size_t size = s->block_size;
  double** a = s->a;
  double** b = s->b;
  double** c = s->c;
  for (size_t i = 0; i < s->block_count; ++i) {
#pragma omp task
    copy_block(a[i], c[i], size);
  }
#pragma omp taskwait
  for (size_t i = 0; i < s->block_count; ++i) {
#pragma omp task
    scale_block(c[i], b[i], size);
  }
#pragma omp taskwait
  for (size_t i = 0; i < s->block_count; ++i) {
#pragma omp task
    add_blocks(a[i], b[i], c[i], size);
  }
#pragma omp taskwait
  for (size_t i = 0; i < s->block_count; ++i) {
#pragma omp task
    triad_blocks(b[i], c[i], a[i], size);
  }
#pragma omp taskwait
}

void stream_tasks(struct stream* s) {
#pragma omp parallel
#pragma omp single
  for (size_t round = 0; round < s->rounds; ++round) run_round(s);
}
