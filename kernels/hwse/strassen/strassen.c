/* SPDX-License-Identifier: Apache-2.0
 *
 * The program in both styles that the paper compares. In loops: on each level a parallel loop over
 * the chunks of the sums, one over the products if they are leaves, and one over the chunks of the
 * results, with barriers between; larger products one after the other. In tasks: everything at
 * once; a product begins when the sums that it multiplies are there.
 */
#include "hwse/strassen/strassen.h"

static void multiply_leaf(const struct strassen_level* level,
                          const struct strassen_product* product) {
  strassen_multiply_leaf(product->x, product->y, product->target, level->half);
}

/* The problem that a product is. */
static struct strassen part_of(const struct strassen* s, const struct strassen_product* product) {
  return (struct strassen){s->side / 2, s->leaf, s->loops, product->x, product->y, product->target};
}

static void add_in_loops(const struct strassen_level* level, const struct strassen_sum* sums,
                         size_t sum_count) {
  for (size_t i = 0; i < sum_count * level->chunk_count; ++i) {
    const struct strassen_sum* sum = &sums[i / level->chunk_count];
#pragma omp task
    strassen_add(strassen_sum_chunk(level, sum, i % level->chunk_count), level->chunk);
  }
}

static void multiply_in_loops(const struct strassen* s) {
  struct strassen_level level;
  strassen_begin(&level, s);
  add_in_loops(&level, level.sums, STRASSEN_SUMS);
#pragma omp taskwait
  for (size_t i = 0; i < STRASSEN_PRODUCTS; ++i) {
    if (level.half == s->leaf) {
#pragma omp task
      multiply_leaf(&level, &level.products[i]);
    } else {
      const struct strassen part = part_of(s, &level.products[i]);
      multiply_in_loops(&part);
    }
  }
#pragma omp taskwait
  add_in_loops(&level, level.side_results, 2);
  for (size_t i = 0; i < 2 * level.chunk_count; ++i) {
    const struct strassen_result* result = &level.main_results[i / level.chunk_count];
#pragma omp task
    strassen_collect(strassen_result_chunk(&level, result, i % level.chunk_count), level.chunk);
  }
#pragma omp taskwait
  strassen_end(&level);
}

static void add_in_tasks(const struct strassen_level* level, const struct strassen_sum* sum) {
  const size_t n = level->chunk;
  for (size_t i = 0; i < level->chunk_count; ++i) {
    const struct strassen_sum chunk = strassen_sum_chunk(level, sum, i);
#pragma omp task in([n] chunk.x, [n] chunk.y), out([n] chunk.target)
    strassen_add(chunk, n);
  }
}

static void collect_in_tasks(const struct strassen_level* level,
                             const struct strassen_result* result) {
  const size_t n = level->chunk;
  for (size_t i = 0; i < level->chunk_count; ++i) {
    const struct strassen_result chunk = strassen_result_chunk(level, result, i);
#pragma omp task in([n] chunk.x, [n] chunk.y, [n] chunk.z, [n] chunk.minus), out([n] chunk.target)
    strassen_collect(chunk, n);
  }
}

static void multiply_in_tasks(struct strassen s) {
  if (s.side == s.leaf) {
    strassen_multiply_leaf(s.a, s.b, s.c, s.side);
    return;
  }
  struct strassen_level level;
  strassen_begin(&level, &s);
  for (size_t i = 0; i < STRASSEN_SUMS; ++i) add_in_tasks(&level, &level.sums[i]);
  for (size_t i = 0; i < STRASSEN_PRODUCTS; ++i) {
    const struct strassen part = part_of(&s, &level.products[i]);
#pragma omp task in([level.quadrant] part.a, [level.quadrant] part.b), out([level.quadrant] part.c)
    multiply_in_tasks(part);
  }
  for (size_t i = 0; i < 2; ++i) add_in_tasks(&level, &level.side_results[i]);
  for (size_t i = 0; i < 2; ++i) collect_in_tasks(&level, &level.main_results[i]);
#pragma omp taskwait
  strassen_end(&level);
}

void strassen_run(const struct strassen* s) {
  if (s->loops) {
    multiply_in_loops(s);
  } else {
    multiply_in_tasks(*s);
  }
}
