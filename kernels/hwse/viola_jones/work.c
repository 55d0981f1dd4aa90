/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps that make integral images. Pixels are interpolated in units of 1/256, as OpenCV does.
 */
#include "hwse/viola_jones/viola_jones.h"

enum { UNIT = 256, HALF = UNIT * UNIT / 2 };

/* The pixel of a level's column between two rows of the photo. */
static uint32_t interpolate(const uint8_t* upper, const uint8_t* lower, struct vj_tap across,
                            uint32_t weight) {
  const uint32_t left = UNIT - across.weight;
  const uint32_t above = left * upper[across.at] + across.weight * upper[across.at + 1];
  const uint32_t below = left * lower[across.at] + across.weight * lower[across.at + 1];
  return ((UNIT - weight) * above + weight * below + HALF) / (UNIT * UNIT);
}

void vj_shrink(const struct viola_jones* v, struct vj_band band, const uint8_t* pixels,
               uint32_t* sums) {
  const struct vj_level* level = band.level;
  const struct vj_tap* down = level->down + band.first;
  for (size_t y = 0; y < band.rows; ++y, sums += v->row) {
    const uint8_t* upper = pixels + (down[y].at - down[0].at) * v->width;
    uint32_t* squares = sums + v->stride;
    uint32_t sum = 0, square = 0;
    for (size_t x = 0; x < level->width; ++x) {
      const uint32_t pixel = interpolate(upper, upper + v->width, level->across[x], down[y].weight);
      sums[x + 1] = sum += pixel;
      squares[x + 1] = square += pixel * pixel;
    }
  }
}

static void add(const uint32_t* above, uint32_t* row, size_t columns) {
  for (size_t x = 0; x < columns; ++x) row[x] += above[x];
}

void vj_add_rows(const struct viola_jones* v, struct vj_band band, const uint32_t* above,
                 uint32_t* sums) {
  const size_t columns = band.level->width + 1;
  for (size_t y = 0; y < band.rows; ++y) {
    add(above, sums, columns);
    add(above + v->stride, sums + v->stride, columns);
    above = sums;
    sums += v->row;
  }
}

void vj_add_columns(const struct viola_jones* v, size_t rows, size_t columns, uint32_t* sums,
                    uint32_t* squares) {
  for (size_t y = 1; y < rows; ++y, sums += v->row, squares += v->row) {
    add(sums, sums + v->row, columns);
    add(squares, squares + v->row, columns);
  }
}
