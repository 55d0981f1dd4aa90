/* SPDX-License-Identifier: Apache-2.0
 *
 * A step on one tile. Rows above and below may belong to other tiles, and the two columns at the
 * rims have a neighbour there.
 */
#include "bddt/tiled_jacobi/tiled_jacobi.h"
#include "common/wide.h"

static const float kOutside[TILE_SIDE_MAX];

struct tile_view view_tile(const struct tiled_jacobi* grid, size_t step, size_t row,
                           size_t column) {
  const size_t tiles = grid->tile_count;
  float** centre = grid->grids[step % 2] + row * tiles + column;
  return (struct tile_view){.centre = *centre,
                            .north = row > 0 ? *(centre - tiles) : NULL,
                            .south = row + 1 < tiles ? *(centre + tiles) : NULL,
                            .west = column > 0 ? *(centre - 1) : NULL,
                            .east = column + 1 < tiles ? *(centre + 1) : NULL};
}

static inline void relax_row(const float* restrict above, const float* restrict row,
                             const float* restrict below, float* restrict to, size_t count) {
  for (size_t i = 1; i + 1 < count; ++i) {
    to[i] = 0.25F * ((above[i] + below[i]) + (row[i - 1] + row[i + 1]));
  }
}

KERNEL_WIDE void relax_tile(struct tile_view from, float* to, size_t side) {
  const size_t last = side - 1;
  const float* above = from.north != NULL ? from.north + last * side : kOutside;
  const float* south = from.south != NULL ? from.south : kOutside;
  const float* row = from.centre;
  for (size_t i = 0; i < side; ++i, to += side) {
    const float* below = i < last ? row + side : south;
    const float west = from.west != NULL ? from.west[i * side + last] : 0;
    const float east = from.east != NULL ? from.east[i * side] : 0;
    relax_row(above, row, below, to, side);
    to[0] = 0.25F * ((above[0] + below[0]) + (west + row[1]));
    to[last] = 0.25F * ((above[last] + below[last]) + (row[last - 1] + east));
    above = row;
    row = below;
  }
}
