/* SPDX-License-Identifier: Apache-2.0
 *
 * The product with OpenMP's tasks: one for each product of two tiles, part by part. Nobody writes A
 * and B, so only the tiles of C order them.
 */
#include "myrmics/matrix_multiply/matrix_multiply.h"

static void spawn_part_product(const struct part* a_part, const struct part* b_part,
                               const struct part* c_part, size_t tile_side, size_t side) {
  for (size_t k = 0; k < tile_side; ++k) {
    for (size_t i = 0; i < tile_side; ++i) {
      for (size_t j = 0; j < tile_side; ++j) {
        const float* a = a_part->tiles[i * tile_side + k];
        const float* b = b_part->tiles[k * tile_side + j];
        float* c = c_part->tiles[i * tile_side + j];
#pragma omp task firstprivate(a, b, c, side), depend(inout : c[0])
        matrix_multiply_add(a, b, c, side);
      }
    }
  }
}

void matrix_multiply_tasks(struct matrix_multiply* m) {
  const size_t n = m->part_side;
#pragma omp parallel
#pragma omp single
  {
    for (size_t phase = 0; phase < n; ++phase) {
      for (size_t part = 0; part < n * n; ++part) {
        const size_t i = part / n, j = part % n, k = (phase + i + j) % n;
        spawn_part_product(&m->a.part[i * n + k], &m->b.part[k * n + j], &m->c.part[part],
                           m->tile_side, m->side);
      }
    }
#pragma omp taskwait
  }
}
