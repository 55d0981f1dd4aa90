/* SPDX-License-Identifier: Apache-2.0
 *
 * The product as OpenMP's parallel loop over the tiles of C.
 */
#include "myrmics/matrix_multiply/matrix_multiply.h"

/* The parts along the middle dimension come in the order of the serial program, which rounding
 * would show. */
static void multiply_tile_of(const struct matrix_multiply* m, size_t part, size_t tile) {
  const size_t n = m->part_side, t = m->tile_side;
  const size_t i = part / n, j = part % n, row = tile / t, column = tile % t;
  for (size_t phase = 0; phase < n; ++phase) {
    const size_t k = (phase + i + j) % n;
    void *const *a = m->a.part[i * n + k].tiles, *const *b = m->b.part[k * n + j].tiles;
    for (size_t middle = 0; middle < t; ++middle) {
      matrix_multiply_add(a[row * t + middle], b[middle * t + column], m->c.part[part].tiles[tile],
                          m->side);
    }
  }
}

void matrix_multiply_tasks(struct matrix_multiply* m) {
  const size_t parts = m->part_side * m->part_side, tiles = m->tile_side * m->tile_side;
#pragma omp parallel for schedule(OPENMP_SCHEDULE) collapse(2)
  for (size_t part = 0; part < parts; ++part) {
    for (size_t tile = 0; tile < tiles; ++tile) multiply_tile_of(m, part, tile);
  }
}
