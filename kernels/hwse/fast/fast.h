/* SPDX-License-Identifier: Apache-2.0
 *
 * FAST corners (Rosten and Drummond 2006, the variant 9 of 16): a pixel is a corner if, on the ring
 * of 16 pixels at distance 3, at least nine in a row are all brighter or all darker than it by more
 * than a threshold. Its score is the largest threshold with which it would still be one.
 *
 * A photo is cut into bands of rows. Two steps each: score its pixels, then list its corners, which
 * must outdo their eight neighbours, so that the second step also reads the scores of the rows
 * above and below the band.
 */
#ifndef KERNELS_FAST_FAST_H
#define KERNELS_FAST_FAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FAST_BORDER = 3 }; /* rows and columns without corners: the ring would leave the photo */

struct fast {
  size_t width;      /* of the photo, at least 7 */
  size_t height;     /* likewise */
  size_t band;       /* rows of a task */
  uint8_t threshold; /* at least 1 */
  bool all;          /* list corners that do not outdo their neighbours, too */
  bool loops;        /* two parallel loops instead of tasks in order of their data */
  const uint8_t* pixels;
  uint8_t* scores;   /* of each pixel; 0: no corner; zero in the border rows */
  uint16_t* columns; /* of row y's corners, from columns[y * width] on */
  uint32_t* counts;  /* of each row's corners */
};

/* How many rows the band that begins at row `first` has. */
static inline size_t fast_band_rows(const struct fast* f, size_t first) {
  const size_t left = f->height - FAST_BORDER - first;
  return f->band < left ? f->band : left;
}

/* The steps, on a band of `rows` rows: its pixels, from three rows above it to three rows below,
 * give its scores; these, from one row above to one row below, give its corners. */
void fast_score(const struct fast* f, const uint8_t* pixels, uint8_t* scores, size_t rows);
void fast_list(const struct fast* f, const uint8_t* scores, uint16_t* columns, uint32_t* counts,
               size_t rows);

/* The programs. */
void fast_serial(struct fast* f);
void fast_tasks(struct fast* f);

#ifdef __cplusplus
}
#endif
#endif
