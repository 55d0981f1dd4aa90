/* SPDX-License-Identifier: Apache-2.0
 *
 * tiled_matmul.c with OpenMP's tasks. Only the tiles of C are ever written, so only they order.
 */
#include "bddt/tiled_matmul/tiled_matmul.h"

void tiled_matmul_tasks(struct tiled_matmul* m) {
  const size_t tiles = m->tile_count;
#pragma omp parallel
#pragma omp single
  for (size_t i = 0; i < tiles; ++i) {
    for (size_t j = 0; j < tiles; ++j) {
      for (size_t k = 0; k < tiles; ++k) {
        const float* a = m->a[i * tiles + k];
        const float* b = m->b[k * tiles + j];
        float* c = m->c[i * tiles + j];
#pragma omp task depend(inout : c[0])
        multiply_tiles(a, b, c, m->side);
      }
    }
  }
}
