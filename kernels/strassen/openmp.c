/* SPDX-License-Identifier: Apache-2.0
 *
 * The program as OpenMP's own: dynamic parallel loops, or tasks with dependences. A dependence
 * names the first number of a chunk, so a product depends on each chunk of its factors.
 */
#include "strassen/strassen.h"

static struct strassen part_of(const struct strassen* s, const struct strassen_product* product) {
  return (struct strassen){s->side / 2, s->leaf, s->loops, product->x, product->y, product->target};
}

static void add_in_loops(const struct strassen_level* level, const struct strassen_sum* sums,
                         size_t sum_count) {
#pragma omp parallel for schedule(dynamic)
  for (size_t i = 0; i < sum_count * level->chunk_count; ++i) {
    const struct strassen_sum* sum = &sums[i / level->chunk_count];
    strassen_add(strassen_sum_chunk(level, sum, i % level->chunk_count), level->chunk);
  }
}

static void multiply_leaves(const struct strassen_level* level) {
#pragma omp parallel for schedule(dynamic)
  for (size_t i = 0; i < STRASSEN_PRODUCTS; ++i) {
    const struct strassen_product* product = &level->products[i];
    strassen_multiply_leaf(product->x, product->y, product->target, level->half);
  }
}

static void multiply_in_loops(const struct strassen* s) {
  struct strassen_level level;
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
  add_in_loops(&level, level.side_results, 2);
#pragma omp parallel for schedule(dynamic)
  for (size_t i = 0; i < 2 * level.chunk_count; ++i) {
    const struct strassen_result* result = &level.main_results[i / level.chunk_count];
    strassen_collect(strassen_result_chunk(&level, result, i % level.chunk_count), level.chunk);
  }
  strassen_end(&level);
}

static void add_in_tasks(const struct strassen_level* level, const struct strassen_sum* sum) {
  for (size_t i = 0; i < level->chunk_count; ++i) {
    const struct strassen_sum chunk = strassen_sum_chunk(level, sum, i);
#pragma omp task depend(in : *chunk.x, *chunk.y) depend(out : *chunk.target)
    strassen_add(chunk, level->chunk);
  }
}

static void collect_in_tasks(const struct strassen_level* level,
                             const struct strassen_result* result) {
  for (size_t i = 0; i < level->chunk_count; ++i) {
    const struct strassen_result chunk = strassen_result_chunk(level, result, i);
#pragma omp task depend(in : *chunk.x, *chunk.y, *chunk.z, *chunk.minus) depend(out : *chunk.target)
    strassen_collect(chunk, level->chunk);
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
    const size_t n = level.chunk;
#pragma omp task depend(iterator(size_t k = 0 : level.chunk_count), in : part.a[k * n]) \
    depend(iterator(size_t k = 0 : level.chunk_count), in : part.b[k * n])              \
    depend(iterator(size_t k = 0 : level.chunk_count), out : part.c[k * n])
    multiply_in_tasks(part);
  }
  for (size_t i = 0; i < 2; ++i) add_in_tasks(&level, &level.side_results[i]);
  for (size_t i = 0; i < 2; ++i) collect_in_tasks(&level, &level.main_results[i]);
#pragma omp taskwait
  strassen_end(&level);
}

void strassen_tasks(const struct strassen* s) {
  if (s->loops) {
    multiply_in_loops(s);
    return;
  }
#pragma omp parallel
#pragma omp single
  multiply_in_tasks(*s);
}
