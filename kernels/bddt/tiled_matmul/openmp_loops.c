/* SPDX-License-Identifier: Apache-2.0
 *
 * tiled_matmul.c as OpenMP's parallel loop over the tiles of C.
 */
#include "bddt/tiled_matmul/tiled_matmul.h"

void tiled_matmul_tasks(struct tiled_matmul* m) {
  const size_t tiles = m->tile_count;
#pragma omp parallel for schedule(OPENMP_SCHEDULE) collapse(2)
  for (size_t i = 0; i < tiles; ++i) {
    for (size_t j = 0; j < tiles; ++j) {
      for (size_t k = 0; k < tiles; ++k) {
        multiply_tiles(m->a[i * tiles + k], m->b[k * tiles + j], m->c[i * tiles + j], m->side);
      }
    }
  }
}
