/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps on a part of a level. Numbers are rounded where OpenCV rounds them, or else a window at
 * the edge of a stage would now and then be judged differently: pixels are interpolated in units
 * of 1/256, tests are in single and the sums of a stage in double precision.
 */
#include <math.h>

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

/* The sum over a rectangle. May wrap around on the way: the sums of a large photo do. */
static uint32_t sum_in(const uint32_t* window, const struct vj_corners* corners) {
  const int32_t* at = corners->at;
  return window[at[0]] - window[at[1]] - window[at[2]] + window[at[3]];
}

/* What the tests' values are multiplied by, so that contrast does not matter. 0: too little of it
 * for a face. */
static float normalisation(const struct vj_cascade* cascade, const uint32_t* sums,
                           const uint32_t* squares) {
  const double area = cascade->inside_area;
  const double sum = sum_in(sums, &cascade->inside);
  const double deviation = area * sum_in(squares, &cascade->inside) - sum * sum;
  if (deviation <= 0) return 0;
  const float factor = (float)(1 / sqrt(deviation));
  return area * factor < 0.1 ? factor : 0;
}

static float value_of(const struct vj_stump* stump, const uint32_t* sums) {
  float value = stump->weights[0] * (float)(int32_t)sum_in(sums, &stump->rectangles[0]) +
                stump->weights[1] * (float)(int32_t)sum_in(sums, &stump->rectangles[1]);
  if (stump->weights[2] != 0) {
    value += stump->weights[2] * (float)(int32_t)sum_in(sums, &stump->rectangles[2]);
  }
  return value;
}

/* How many stages a window passes. */
static size_t stages_passed(const struct vj_cascade* cascade, const uint32_t* sums, float factor) {
  const struct vj_stump* stump = cascade->stumps;
  for (size_t i = 0; i < cascade->stage_count; ++i) {
    const struct vj_stage* stage = &cascade->stages[i];
    double total = 0;
    for (const struct vj_stump* end = stump + stage->stump_count; stump < end; ++stump) {
      const float value = value_of(stump, sums) * factor;
      total += value < stump->threshold ? stump->below : stump->above;
    }
    if (total < stage->threshold) return i;
  }
  return cascade->stage_count;
}

void vj_scan(const struct viola_jones* v, struct vj_band band, const uint32_t* sums, uint16_t* hits,
             uint32_t* counts) {
  const struct vj_level* level = band.level;
  for (size_t row = 0; row < band.rows; ++row) {
    uint32_t count = 0;
    for (size_t x = 0; x < level->window_columns; x += level->step) {
      const float factor = normalisation(v->cascade, sums + x, sums + v->stride + x);
      if (factor == 0) continue;
      const size_t passed = stages_passed(v->cascade, sums + x, factor);
      if (passed == v->cascade->stage_count) hits[count++] = (uint16_t)x;
      if (passed == 0) x += level->step; /* nothing like a face: neither is the next one */
    }
    counts[row] = count;
    hits += level->window_columns;
    sums += level->step * v->row;
  }
}
