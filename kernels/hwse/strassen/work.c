/* SPDX-License-Identifier: Apache-2.0
 *
 * The operands of a level, and what the tasks do with them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/wide.h"
#include "hwse/strassen/strassen.h"
#include "methods/tiles/multiply.h"

enum { ALIGNMENT = 64 };

/* The quadrants of a matrix. */
struct quadrants {
  const float *q11, *q12, *q21, *q22;
};

static struct quadrants quadrants_of(const float* matrix, size_t quadrant) {
  return (struct quadrants){matrix, matrix + quadrant, matrix + 2 * quadrant,
                            matrix + 3 * quadrant};
}

void strassen_begin(struct strassen_level* level, const struct strassen* s) {
  level->half = s->side / 2;
  level->chunk = s->leaf * s->leaf;
  level->quadrant = level->half * level->half;
  const size_t n = level->quadrant;
  level->chunk_count = n / level->chunk;
  level->memory = aligned_alloc(ALIGNMENT, (STRASSEN_SUMS + STRASSEN_PRODUCTS) * n * sizeof(float));
  if (level->memory == NULL) {
    fputs("strassen: out of memory\n", stderr);
    exit(1);
  }
  float* t[STRASSEN_SUMS];
  float* p[STRASSEN_PRODUCTS];
  for (size_t i = 0; i < STRASSEN_SUMS; ++i) t[i] = level->memory + i * n;
  for (size_t i = 0; i < STRASSEN_PRODUCTS; ++i) p[i] = level->memory + (STRASSEN_SUMS + i) * n;
  const struct quadrants a = quadrants_of(s->a, n);
  const struct quadrants b = quadrants_of(s->b, n);
  float* c = s->c;

  const struct strassen_sum sums[STRASSEN_SUMS] = {
      {a.q11, a.q22, 1, t[0]},  {b.q11, b.q22, 1, t[1]},  {a.q21, a.q22, 1, t[2]},
      {b.q12, b.q22, -1, t[3]}, {b.q21, b.q11, -1, t[4]}, {a.q11, a.q12, 1, t[5]},
      {a.q21, a.q11, -1, t[6]}, {b.q11, b.q12, 1, t[7]},  {a.q12, a.q22, -1, t[8]},
      {b.q21, b.q22, 1, t[9]}};
  const struct strassen_product products[STRASSEN_PRODUCTS] = {
      {t[0], t[1], p[0]},  {t[2], b.q11, p[1]}, {a.q11, t[3], p[2]}, {a.q22, t[4], p[3]},
      {t[5], b.q22, p[4]}, {t[6], t[7], p[5]},  {t[8], t[9], p[6]}};
  const struct strassen_sum side_results[2] = {{p[2], p[4], 1, c + n}, {p[1], p[3], 1, c + 2 * n}};
  const struct strassen_result main_results[2] = {{p[0], p[3], p[6], p[4], c},
                                                  {p[0], p[2], p[5], p[1], c + 3 * n}};
  memcpy(level->sums, sums, sizeof sums);
  memcpy(level->products, products, sizeof products);
  memcpy(level->side_results, side_results, sizeof side_results);
  memcpy(level->main_results, main_results, sizeof main_results);
}

void strassen_end(struct strassen_level* level) { free(level->memory); }

KERNEL_WIDE void strassen_add(struct strassen_sum sum, size_t count) {
  for (size_t i = 0; i < count; ++i) sum.target[i] = sum.x[i] + sum.sign * sum.y[i];
}

KERNEL_WIDE void strassen_collect(struct strassen_result result, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    result.target[i] = result.x[i] + result.y[i] + result.z[i] - result.minus[i];
  }
}

void strassen_multiply_leaf(const float* a, const float* b, float* c, size_t side) {
  memset(c, 0, side * side * sizeof *c);
  multiply_tile(a, b, c, side);
}
