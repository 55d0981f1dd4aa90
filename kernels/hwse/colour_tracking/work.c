/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps. Hue and saturation are quotients, rounded to bytes with the fixed-point arithmetic
 * that OpenCV uses for pictures of bytes, so that run.py can ask for the very same marks.
 */
#include <string.h>

#include "common/wide.h"
#include "hwse/colour_tracking/colour_tracking.h"

enum {
  POINT = 12, /* bits behind the binary point of a reciprocal */
  HUES = 180,
  SECTOR = HUES / 6
};

/* n / d with POINT bits behind the binary point, rounded to the nearest. */
static int32_t quotient(int32_t n, int32_t d) { return ((n << (POINT + 1)) + d) / (2 * d); }

void tracking_fill(struct tracking_reciprocals* reciprocals) {
  reciprocals->hue[0] = reciprocals->saturation[0] = 0; /* of grey, and of black */
  for (int32_t i = 1; i <= UINT8_MAX; ++i) {
    reciprocals->hue[i] = quotient(SECTOR, i);
    reciprocals->saturation[i] = quotient(UINT8_MAX, i);
  }
}

static inline int rounded(int fixed) { return (fixed + (1 << (POINT - 1))) >> POINT; }

/* Which of two neighbours among red, green and blue a colour leans to, from -spread to spread, plus
 * twice the spread for each sector of the colour circle before its strongest channel. */
static inline int lean_of(const uint8_t* rgb, int strongest, int spread) {
  if (strongest == rgb[0]) return rgb[1] - rgb[2];
  if (strongest == rgb[1]) return rgb[2] - rgb[0] + 2 * spread;
  return rgb[0] - rgb[1] + 4 * spread;
}

static inline int max3(int a, int b, int c) { return a > b ? (a > c ? a : c) : (b > c ? b : c); }
static inline int min3(int a, int b, int c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); }

void tracking_convert(struct tracking_band band, const struct tracking_reciprocals* reciprocals) {
  for (size_t i = 0; i < band.pixel_count; ++i) {
    const uint8_t* rgb = band.rgb + i * TRACKING_CHANNELS;
    uint8_t* hsv = band.hsv + i * TRACKING_CHANNELS;
    const int strongest = max3(rgb[0], rgb[1], rgb[2]);
    const int spread = strongest - min3(rgb[0], rgb[1], rgb[2]);
    const int hue = rounded(lean_of(rgb, strongest, spread) * reciprocals->hue[spread]);
    hsv[0] = (uint8_t)(hue < 0 ? hue + HUES : hue);
    hsv[1] = (uint8_t)rounded(spread * reciprocals->saturation[strongest]);
    hsv[2] = (uint8_t)strongest;
  }
}

KERNEL_WIDE void tracking_mark(struct tracking_band band, struct tracking_range range) {
  for (size_t i = 0; i < band.pixel_count; ++i) {
    const uint8_t* hsv = band.hsv + i * TRACKING_CHANNELS;
    uint8_t inside = 1;
    for (unsigned channel = 0; channel < TRACKING_CHANNELS; ++channel) {
      inside &= hsv[channel] >= range.low[channel] && hsv[channel] <= range.high[channel];
    }
    band.marks[i] = inside;
  }
}

/* Row by row, so that the sums over a row need only its columns. */
KERNEL_WIDE void tracking_measure(struct tracking_band band, size_t width) {
  struct tracking_sums sums = {0};
  for (size_t row = 0; row < band.pixel_count / width; ++row) {
    const uint8_t* marks = band.marks + row * width;
    const uint64_t y = band.first_row + row;
    uint64_t count = 0;
    uint64_t x = 0;
    uint64_t xx = 0;
    for (size_t column = 0; column < width; ++column) {
      count += marks[column];
      x += marks[column] * column;
      xx += marks[column] * column * column;
    }
    sums.count += count;
    sums.x += x;
    sums.xx += xx;
    sums.y += count * y;
    sums.xy += x * y;
    sums.yy += count * y * y;
  }
  *band.sums = sums;
}

void tracking_locate(const struct tracking_sums* band_sums, size_t band_count,
                     struct tracking_sums* sums) {
  memset(sums, 0, sizeof *sums);
  for (size_t i = 0; i < band_count; ++i) {
    sums->count += band_sums[i].count;
    sums->x += band_sums[i].x;
    sums->y += band_sums[i].y;
    sums->xx += band_sums[i].xx;
    sums->xy += band_sums[i].xy;
    sums->yy += band_sums[i].yy;
  }
}
