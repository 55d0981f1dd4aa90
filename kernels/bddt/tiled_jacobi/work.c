/* SPDX-License-Identifier: Apache-2.0
 *
 * A step on one tile. Rows above and below may belong to other tiles, and the two columns at the
 * rims have a neighbour there.
 */
#include "chip/work.h"

#include <myr/myr.h>

#include "bddt/tiled_jacobi/tiled_jacobi.h"
#include "chip/scc_costs.h"
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

/* Rows above and below, columns beside: each row or number of them once, then the tile itself. */
static void declare_costs(const struct tile_view* from, const float* to, size_t side) {
  const size_t row = side * sizeof(float);
  if (from->north != NULL) kernel_touch(from->north + (side - 1) * side, row, 1, 0, MYR_IN);
  if (from->south != NULL) kernel_touch(from->south, row, 1, 0, MYR_IN);
  if (from->west != NULL) kernel_touch(from->west + side - 1, sizeof(float), side, row, MYR_IN);
  if (from->east != NULL) kernel_touch(from->east, sizeof(float), side, row, MYR_IN);
  for (size_t i = 0; i < side; ++i) {
    kernel_touch(from->centre + i * side, row, 1, 0, MYR_IN);
    kernel_touch(to + i * side, row, 1, 0, MYR_OUT);
  }
  kernel_work(side * side * SCC_JACOBI_POINT);
}

KERNEL_WIDE void relax_tile(struct tile_view from, float* to, size_t side) {
  declare_costs(&from, to, side);
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
