/* SPDX-License-Identifier: Apache-2.0
 *
 * The program: what the tasks read and write orders them, and so do barriers, if they are wanted.
 */
#include "picos/stream/stream.h"

/* What the program with barriers has after each step. */
static void end_step(const struct stream* s) {
  if (s->barriers) {
#pragma omp taskwait
  }
}

static void run_round(const struct stream* s) {
  const size_t size = s->block_size;
  double** a = s->a;
  double** b = s->b;
  double** c = s->c;
  for (size_t i = 0; i < s->block_count; ++i) {
#pragma omp task in([size] a[i]), out([size] c[i])
    copy_block(a[i], c[i], size);
  }
  end_step(s);
  for (size_t i = 0; i < s->block_count; ++i) {
#pragma omp task in([size] c[i]), out([size] b[i])
    scale_block(c[i], b[i], size);
  }
  end_step(s);
  for (size_t i = 0; i < s->block_count; ++i) {
#pragma omp task in([size] a[i], [size] b[i]), out([size] c[i])
    add_blocks(a[i], b[i], c[i], size);
  }
  end_step(s);
  for (size_t i = 0; i < s->block_count; ++i) {
#pragma omp task in([size] b[i], [size] c[i]), out([size] a[i])
    triad_blocks(b[i], c[i], a[i], size);
  }
  end_step(s);
}

void stream_run(struct stream* s) {
  for (size_t round = 0; round < s->rounds; ++round) run_round(s);
#pragma omp taskwait
}
