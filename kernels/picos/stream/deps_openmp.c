/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.c with OpenMP's tasks.
 */
#include "picos/stream/stream.h"

static void run_round(const struct stream* s) {
  const size_t size = s->block_size;
  double** a = s->a;
  double** b = s->b;
  double** c = s->c;
  for (size_t i = 0; i < s->block_count; ++i) {
#pragma omp task depend(in : a[i][0]) depend(out : c[i][0])
    copy_block(a[i], c[i], size);
  }
  for (size_t i = 0; i < s->block_count; ++i) {
#pragma omp task depend(in : c[i][0]) depend(out : b[i][0])
    scale_block(c[i], b[i], size);
  }
  for (size_t i = 0; i < s->block_count; ++i) {
#pragma omp task depend(in : a[i][0], b[i][0]) depend(out : c[i][0])
    add_blocks(a[i], b[i], c[i], size);
  }
  for (size_t i = 0; i < s->block_count; ++i) {
#pragma omp task depend(in : b[i][0], c[i][0]) depend(out : a[i][0])
    triad_blocks(b[i], c[i], a[i], size);
  }
}

void stream_tasks(struct stream* s) {
#pragma omp parallel
#pragma omp single
  for (size_t round = 0; round < s->rounds; ++round) run_round(s);
}
