/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix multiplication as in the Myrmics paper, section VI-B. All three matrices are split into
 * regions. In each phase, main spawns a coarse task for each part of C, which adds the product of a
 * part of A and one of B to it; it spawns a fine task for each product of two tiles.
 */
#include "matrix_multiply/matrix_multiply.h"

#include <myrmics.h>

/* A fine task. */
static void add_product(float* a, float* b, float* c, size_t side) { multiply_tile(a, b, c, side); }

/* A coarse task. */
static void add_part_product(rid_t a_region, rid_t b_region, rid_t c_region, void** a_tiles,
                             void** b_tiles, void** c_tiles, size_t tile_side, size_t side) {
  (void)a_region, (void)b_region, (void)c_region;
  for (size_t k = 0; k < tile_side; ++k) {
    for (size_t i = 0; i < tile_side; ++i) {
      for (size_t j = 0; j < tile_side; ++j) {
        float* a = a_tiles[i * tile_side + k];
        float* b = b_tiles[k * tile_side + j];
        float* c = c_tiles[i * tile_side + j];
#pragma myrmics task in(a, b), inout(c), in(side)
        add_product(a, b, c, side);
      }
    }
  }
}

void matrix_multiply_run(struct matrix_multiply* m) {
  size_t part_side = m->part_side, tile_side = m->tile_side, side = m->side;
  for (size_t phase = 0; phase < part_side; ++phase) {
    for (size_t i = 0; i < part_side; ++i) {
      for (size_t j = 0; j < part_side; ++j) {
        /* Each part of C begins elsewhere, so that not all read the same parts at once. */
        size_t k = (phase + i + j) % part_side;
        const struct part* a = &m->a.part[i * part_side + k];
        const struct part* b = &m->b.part[k * part_side + j];
        const struct part* c = &m->c.part[i * part_side + j];
        rid_t a_region = a->region, b_region = b->region, c_region = c->region;
        void **a_tiles = a->tiles, **b_tiles = b->tiles, **c_tiles = c->tiles;
#pragma myrmics task region in(a_region, b_region), region inout(c_region), \
    in(a_tiles, b_tiles, c_tiles, tile_side, side), safe(a_tiles, b_tiles, c_tiles)
        add_part_product(a_region, b_region, c_region, a_tiles, b_tiles, c_tiles, tile_side, side);
      }
    }
  }
#pragma myrmics wait on(region m->c.region)
}
