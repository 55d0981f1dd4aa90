/* SPDX-License-Identifier: Apache-2.0
 *
 * The step that scans windows. Numbers are rounded where OpenCV rounds them, or else a window at
 * the edge of a stage would now and then be judged differently: tests are in single and the sums of
 * a stage in double precision.
 */
#include <math.h>

#include "hwse/viola_jones/viola_jones.h"

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
