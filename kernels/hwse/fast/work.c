/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps on a band. Nine in a row on a ring of 16 cover at least one of each two opposite
 * pixels, so a corner is darker than one of each pair, or brighter than one of each. A first pass
 * tests that with four pairs for all pixels, in vector instructions; the second scores what is
 * left. Both go along a row in strips that fit a small stack.
 */
#include <string.h>

#include "hwse/fast/fast.h"

enum { RING = 16, RUN = 9, STRIP = 512 };

/* The ring, clockwise from below. */
static const int kRingX[RING] = {0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1};
static const int kRingY[RING] = {3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1, 0, 1, 2, 3};

static inline uint8_t low(uint8_t a, uint8_t b) { return a < b ? a : b; }
static inline uint8_t high(uint8_t a, uint8_t b) { return a > b ? a : b; }

/* Tells for `count` pixels of a row whether they may be corners. */
static void preselect(const uint8_t* restrict row, ptrdiff_t width, size_t count, uint8_t threshold,
                      uint8_t* restrict maybe) {
  const uint8_t *above = row - 3 * width, *below = row + 3 * width;
  const uint8_t *left = row - 3, *right = row + 3;
  const uint8_t *above_left = row - 2 * width - 2, *below_right = row + 2 * width + 2;
  const uint8_t *above_right = row - 2 * width + 2, *below_left = row + 2 * width - 2;
  for (size_t x = 0; x < count; ++x) {
    const uint8_t bright =
        low(low(high(above[x], below[x]), high(left[x], right[x])),
            low(high(above_left[x], below_right[x]), high(above_right[x], below_left[x])));
    const uint8_t dark =
        high(high(low(above[x], below[x]), low(left[x], right[x])),
             high(low(above_left[x], below_right[x]), low(above_right[x], below_left[x])));
    const uint8_t rise = high(bright, row[x]) - row[x];
    const uint8_t fall = row[x] - low(dark, row[x]);
    maybe[x] = high(rise, fall) > threshold;
  }
}

/* By how much nine pixels in a row on the ring are all brighter, or all darker, than the centre. */
static int contrast(const uint8_t* centre, const ptrdiff_t* ring) {
  int16_t least[2 * RING], most[2 * RING]; /* of a run of differences that begins here */
  for (int i = 0; i < 2 * RING; ++i) {
    least[i] = most[i] = (int16_t)(centre[ring[i % RING]] - *centre);
  }
  for (int length = 1; length < RUN - 1; length *= 2) { /* doubled to runs of 2, 4, 8 */
    for (int i = 0; i < 2 * RING - length; ++i) {
      least[i] = least[i] < least[i + length] ? least[i] : least[i + length];
      most[i] = most[i] > most[i + length] ? most[i] : most[i + length];
    }
  }
  int best = 0;
  for (int i = 0; i < RING; ++i) { /* two runs of 8 make one of 9 */
    const int rise = least[i] < least[i + 1] ? least[i] : least[i + 1];
    const int fall = most[i] > most[i + 1] ? -most[i] : -most[i + 1];
    best = rise > best ? rise : best;
    best = fall > best ? fall : best;
  }
  return best;
}

void fast_score(const struct fast* f, const uint8_t* pixels, uint8_t* scores, size_t rows) {
  ptrdiff_t ring[RING];
  const size_t width = f->width;
  for (int i = 0; i < RING; ++i) ring[i] = kRingY[i] * (ptrdiff_t)width + kRingX[i];
  memset(scores, 0, rows * width);
  for (size_t y = 0; y < rows; ++y, scores += width) {
    const uint8_t* row = pixels + (y + FAST_BORDER) * width;
    for (size_t first = FAST_BORDER; first < width - FAST_BORDER; first += STRIP) {
      const size_t left = width - FAST_BORDER - first, count = left < STRIP ? left : STRIP;
      uint8_t maybe[STRIP];
      preselect(row + first, (ptrdiff_t)width, count, f->threshold, maybe);
      for (size_t i = 0; i < count; ++i) {
        if (!maybe[i]) continue;
        const int difference = contrast(row + first + i, ring);
        if (difference > f->threshold) scores[first + i] = (uint8_t)(difference - 1);
      }
    }
  }
}

static bool outdoes_neighbours(const uint8_t* score, size_t width) {
  const uint8_t *above = score - width, *below = score + width;
  const uint8_t best = high(high(high(above[-1], above[0]), high(above[1], score[-1])),
                            high(high(below[-1], below[0]), high(below[1], score[1])));
  return *score > best;
}

void fast_list(const struct fast* f, const uint8_t* scores, uint16_t* columns, uint32_t* counts,
               size_t rows) {
  const size_t width = f->width;
  for (size_t y = 0; y < rows; ++y, columns += width) {
    const uint8_t* row = scores + (y + 1) * width;
    uint32_t count = 0;
    for (size_t x = FAST_BORDER; x < width - FAST_BORDER; ++x) {
      if (row[x] == 0) continue;
      if (f->all || outdoes_neighbours(row + x, width)) columns[count++] = (uint16_t)x;
    }
    counts[y] = count;
  }
}
