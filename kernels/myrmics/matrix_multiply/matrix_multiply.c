/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix multiplication as in the Myrmics paper, section VI-B. All three matrices are split into
 * regions. In each phase, main spawns two tasks for each part of C: one copies a part of A and one
 * of B there, and a coarse one, which holds that part and nothing else, spawns a fine task for each
 * product of two tiles.
 */
#include "myrmics/matrix_multiply/matrix_multiply.h"

#include <myrmics.h>

/* A fine task. */
static void add_product(float* a, float* b, float* c, size_t side) {
  matrix_multiply_add(a, b, c, side);
}

static void send_parts(rid_t a_region, rid_t b_region, rid_t to_region, void** a_tiles,
                       void** b_tiles, void** to, size_t tile_count, size_t side) {
  (void)a_region, (void)b_region, (void)to_region;
  matrix_multiply_copy(a_tiles, to, tile_count, side);
  matrix_multiply_copy(b_tiles, to + tile_count, tile_count, side);
}

/* A coarse task. */
static void add_part_product(rid_t c_region, void** a_tiles, void** b_tiles, void** c_tiles,
                             size_t tile_side, size_t side) {
  (void)c_region;
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

/* Main's tasks for a part of C in one phase. */
static void spawn_part_product(const struct part* a, const struct part* b, const struct part* c,
                               const struct tile_set* received, size_t tile_side, size_t side) {
  rid_t a_region = a->region, b_region = b->region, to_region = received->region;
  void **a_tiles = a->tiles, **b_tiles = b->tiles, **to = received->tiles;
  size_t tile_count = c->tile_count;
#pragma myrmics task region in(a_region, b_region), region out(to_region), \
    in(a_tiles, b_tiles, to, tile_count, side), safe(a_tiles, b_tiles, to)
  send_parts(a_region, b_region, to_region, a_tiles, b_tiles, to, tile_count, side);
  rid_t c_region = c->region;
  void **c_tiles = c->tiles, **to_b = to + tile_count;
#pragma myrmics task region inout(c_region), notransfer(c_region), \
    in(to, to_b, c_tiles, tile_side, side), safe(to, to_b, c_tiles)
  add_part_product(c_region, to, to_b, c_tiles, tile_side, side);
}

void matrix_multiply_run(struct matrix_multiply* m) {
  size_t part_side = m->part_side;
  for (size_t phase = 0; phase < part_side; ++phase) {
    for (size_t p = 0; p < part_side * part_side; ++p) {
      /* Each part of C begins elsewhere, so that not all read the same parts at once. */
      size_t i = p / part_side, j = p % part_side, k = (phase + i + j) % part_side;
      spawn_part_product(&m->a.part[i * part_side + k], &m->b.part[k * part_side + j],
                         &m->c.part[p], &m->received[p], m->tile_side, m->side);
    }
  }
  rid_t all = m->c.region;
  int* end = m->c.end;
#pragma myrmics task region inout(all), notransfer(all), out(end)
  parts_reach_end(all, end);
#pragma myrmics wait on(end)
}
