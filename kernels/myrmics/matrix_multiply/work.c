/* SPDX-License-Identifier: Apache-2.0
 *
 * What tasks do with tiles, and room for what parts of C get; see matrix_multiply.h.
 */
#include "chip/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/costs.h"
#include "myrmics/matrix_multiply/matrix_multiply.h"

struct tile_set* matrix_multiply_buffers(const struct parts* c, size_t tile_bytes) {
  struct tile_set* const received = malloc(c->part_count * sizeof(struct tile_set));
  if (received == NULL) {
    fprintf(stderr, "matrix_multiply: no memory for %zu parts\n", c->part_count);
    exit(1);
  }
  for (size_t p = 0; p < c->part_count; ++p) {
    const struct part* part = &c->part[p];
    received[p] = tile_set_new(part->region, 2 * part->tile_count, tile_bytes);
  }
  return received;
}

void matrix_multiply_free_buffers(struct tile_set* received, size_t part_count) {
  for (size_t p = 0; p < part_count; ++p) tile_set_free(&received[p]);
  free(received);
}

void matrix_multiply_add(const float* a, const float* b, float* c, size_t side) {
  multiply_tile(a, b, c, side);
  kernel_work(side * side * side * COST_MULTIPLY_ADD);
}

void matrix_multiply_copy(void* const* from, void* const* to, size_t tile_count, size_t side) {
  for (size_t i = 0; i < tile_count; ++i) memcpy(to[i], from[i], side * side * sizeof(float));
  kernel_work(tile_count * side * side * COST_COPY);
}
