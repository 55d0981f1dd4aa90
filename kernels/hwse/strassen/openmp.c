/* SPDX-License-Identifier: Apache-2.0
 *
 * The program as OpenMP's own: parallel loops in one region, or a task for each sum, product and
 * result of a level. The first number of a quadrant stands for it, and a product waits for the
 * tasks inside it.
 */
#include "hwse/strassen/strassen.h"

static struct strassen part_of(const struct strassen* s, const struct strassen_product* product) {
  return (struct strassen){s->side / 2, s->leaf, s->loops, product->x, product->y, product->target};
}

static void add_in_loops(const struct strassen_level* level, const struct strassen_sum* sums,
                         size_t sum_count) {
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t i = 0; i < sum_count * level->chunk_count; ++i) {
    const struct strassen_sum* sum = &sums[i / level->chunk_count];
    strassen_add(strassen_sum_chunk(level, sum, i % level->chunk_count), level->chunk);
  }
}

static void multiply_leaves(const struct strassen_level* level) {
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t i = 0; i < STRASSEN_PRODUCTS; ++i) {
    const struct strassen_product* product = &level->products[i];
    strassen_multiply_leaf(product->x, product->y, product->target, level->half);
  }
}

/* Called by all threads. */
static void multiply_in_loops(const struct strassen* s) {
  struct strassen_level level;
#pragma omp single copyprivate(level)
  strassen_begin(&level, s);
  add_in_loops(&level, level.sums, STRASSEN_SUMS);
  if (level.half == s->leaf) {
    multiply_leaves(&level);
  } else {
    for (size_t i = 0; i < STRASSEN_PRODUCTS; ++i) {
      const struct strassen part = part_of(s, &level.products[i]);
      multiply_in_loops(&part);
    }
  }
#pragma omp for schedule(OPENMP_SCHEDULE) nowait
  for (size_t i = 0; i < 2 * level.chunk_count; ++i) {
    const struct strassen_result* result = &level.main_results[i / level.chunk_count];
    strassen_collect(strassen_result_chunk(&level, result, i % level.chunk_count), level.chunk);
  }
  add_in_loops(&level, level.side_results, 2);
#pragma omp single nowait
  strassen_end(&level);
}

static void multiply_in_tasks(struct strassen s) {
  if (s.side == s.leaf) {
    strassen_multiply_leaf(s.a, s.b, s.c, s.side);
    return;
  }
  struct strassen_level level;
  strassen_begin(&level, &s);
  const size_t n = level.quadrant;
  for (size_t i = 0; i < STRASSEN_SUMS; ++i) {
    const struct strassen_sum sum = level.sums[i];
#pragma omp task depend(out : *sum.target)
    strassen_add(sum, n);
  }
  for (size_t i = 0; i < STRASSEN_PRODUCTS; ++i) {
    const struct strassen part = part_of(&s, &level.products[i]);
#pragma omp task depend(in : *part.a, *part.b) depend(out : *part.c)
    multiply_in_tasks(part);
  }
  for (size_t i = 0; i < 2; ++i) {
    const struct strassen_sum side = level.side_results[i];
    const struct strassen_result main = level.main_results[i];
#pragma omp task depend(in : *side.x, *side.y)
    strassen_add(side, n);
#pragma omp task depend(in : *main.x, *main.y, *main.z, *main.minus)
    strassen_collect(main, n);
  }
#pragma omp taskwait
  strassen_end(&level);
}

void strassen_tasks(const struct strassen* s) {
  if (s->loops) {
#pragma omp parallel
    multiply_in_loops(s);
    return;
  }
#pragma omp parallel
#pragma omp single
  multiply_in_tasks(*s);
}
