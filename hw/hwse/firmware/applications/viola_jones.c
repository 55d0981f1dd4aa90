/* SPDX-License-Identifier: Apache-2.0
 *
 * Faces in a part of a photograph, by the first stages of OpenCV's cascade, a row a band. The core
 * computes no fractions in hardware, so windows are scanned in whole numbers, with thresholds in
 * units of 2^-POINT: compiled with -Dfloat=int and without the kernel's scan.c. */
#include "hwse/viola_jones/viola_jones.h"

#include "application.h"
#include "cascade.h"
#include "photo.h"

/* The first contrast that a face may have, as the kernel's normalisation has it. */
enum { POINT = CASCADE_POINT, LEVELS_MAX = 8, STRIDE = PHOTO_WIDTH + 1, ROOT_MIN = 4840 };
static struct vj_cascade cascade;
static struct vj_level levels[LEVELS_MAX];
static struct viola_jones program;

static void run(void) { viola_jones_tasks(&program); }

static int sum_in(const uint32_t* window, const struct vj_corners* corners) {
  const int32_t* const at = corners->at;
  return (int)(window[at[0]] - window[at[1]] - window[at[2]] + window[at[3]]);
}

static unsigned root_of(uint64_t square) {
  unsigned root = 0;
  for (unsigned bit = 1U << 17; bit != 0; bit >>= 1) {
    const uint64_t larger = root | bit;
    if (larger * larger <= square) root |= bit;
  }
  return root;
}

static size_t stages_passed(const uint32_t* sums, int root) {
  const struct vj_stump* stump = cascade.stumps;
  for (size_t i = 0; i < cascade.stage_count; ++i) {
    const struct vj_stage* const stage = &cascade.stages[i];
    int total = 0;
    for (const struct vj_stump* const end = stump + stage->stump_count; stump < end; ++stump) {
      int value = 0;
      for (unsigned k = 0; k < VJ_RECTANGLES && stump->weights[k] != 0; ++k) {
        value += stump->weights[k] * sum_in(sums, &stump->rectangles[k]);
      }
      const int64_t least = (int64_t)stump->threshold * root;
      total += (int64_t)value * (1 << POINT) < least ? stump->below : stump->above;
    }
    if (total < stage->threshold) return i;
  }
  return cascade.stage_count;
}

void vj_scan(const struct viola_jones* v, struct vj_band band, const uint32_t* sums, uint16_t* hits,
             uint32_t* counts) {
  const struct vj_level* const level = band.level;
  for (size_t row = 0; row < band.rows; ++row) {
    uint32_t count = 0;
    for (size_t x = 0; x < level->window_columns; x += level->step) {
      const int64_t sum = sum_in(sums + x, &cascade.inside);
      const int64_t squares = (unsigned)sum_in(sums + v->stride + x, &cascade.inside);
      const unsigned root = root_of((uint64_t)(CASCADE_INSIDE * squares - sum * sum));
      if (root <= ROOT_MIN) continue;
      const size_t passed = stages_passed(sums + x, (int)root);
      if (passed == cascade.stage_count) hits[count++] = (uint16_t)x;
      if (passed == 0) x += level->step; /* nothing like a face: neither is the next one */
    }
    counts[row] = count;
    hits += level->window_columns;
    sums += level->step * v->row;
  }
}

/* The place of pixel i of `count` among `source`, in whole and in 256ths. */
static const struct vj_tap* new_taps(int source, int count) {
  struct vj_tap* const taps = new_zeros((size_t)count * sizeof(struct vj_tap));
  for (int i = 0; i < count; ++i) {
    int place = (2 * i + 1) * source - count; /* in units of 1 / (2 count) */
    if (place < 0) place = 0;
    if (place > (source - 1) * 2 * count) place = (source - 1) * 2 * count;
    int at = place / (2 * count);
    if (at > source - 2) at = source - 2;
    const int rest = place - at * 2 * count;
    taps[i] = (struct vj_tap){(uint32_t)at, (uint32_t)((rest * 256 + count) / (2 * count))};
  }
  return taps;
}

/* Each level is four fifths of the one before. */
static void add_levels(void) {
  size_t numerator = 1, denominator = 1;
  for (size_t i = 0; i < LEVELS_MAX; ++i, numerator *= 4, denominator *= 5) {
    struct vj_level level = {
        .width = (PHOTO_WIDTH * numerator + denominator / 2) / denominator,
        .height = (PHOTO_HEIGHT * numerator + denominator / 2) / denominator,
        .step = denominator < 2 * numerator ? 2 : 1,
    };
    if (level.width < cascade.width || level.height < cascade.height) return;
    level.window_columns = level.width + 1 - cascade.width;
    level.window_reach = level.height + 1 - cascade.height;
    const size_t rows = vj_scanned_rows(&level);
    level.across = new_taps(PHOTO_WIDTH, (int)level.width);
    level.down = new_taps(PHOTO_HEIGHT, (int)level.height);
    level.sums = new_zeros((level.height + 1) * 2 * STRIDE * sizeof(uint32_t));
    level.hits = new_zeros(rows * level.window_columns * sizeof(uint16_t));
    level.counts = new_zeros(rows * sizeof(uint32_t));
    levels[i] = level;
    program.level_count = i + 1;
  }
}

int main(void) {
  cascade = kCascade;
  cascade.stumps = bring_in(kStumps, sizeof(kStumps));
  program = (struct viola_jones){
      .pixels = bring_in(kPhoto, PHOTO_WIDTH * PHOTO_HEIGHT),
      .width = PHOTO_WIDTH,
      .stride = STRIDE,
      .row = 2 * STRIDE,
      .band = 1,
      .loops = LOOPS,
      .cascade = &cascade,
      .levels = levels,
  };
  add_levels();
  run_timed(run);
  for (size_t i = 0; i < program.level_count; ++i) {
    const struct vj_level* const level = &levels[i];
    const size_t rows = vj_scanned_rows(level);
    unsigned hits = 0;
    for (size_t row = 0; row < rows; ++row) hits += level->counts[row];
    report("windows", hits);
    report("found", digest(level->hits, rows * level->window_columns * sizeof(uint16_t)));
    report("last sum", vj_sums(&program, level, level->height)[level->width]);
  }
  return 0;
}
