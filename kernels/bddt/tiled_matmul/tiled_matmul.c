/* SPDX-License-Identifier: Apache-2.0
 *
 * The program: a task for each product of two tiles. The products for one tile of C follow each
 * other, all else may overlap.
 */
#include "bddt/tiled_matmul/tiled_matmul.h"

void tiled_matmul_run(struct tiled_matmul* m) {
  const size_t tiles = m->tile_count;
  const size_t side = m->side;
  for (size_t i = 0; i < tiles; ++i) {
    for (size_t j = 0; j < tiles; ++j) {
      for (size_t k = 0; k < tiles; ++k) {
        float* a = m->a[i * tiles + k];
        float* b = m->b[k * tiles + j];
        float* c = m->c[i * tiles + j];
#pragma omp task in([side * side] a, [side * side] b), inout([side * side] c)
        multiply_tiles(a, b, c, side);
      }
    }
  }
#pragma omp taskwait
}
