/* SPDX-License-Identifier: Apache-2.0
 *
 * Faces after Viola and Jones (2001), with the cascades and by the arithmetic of OpenCV: the photo
 * is reduced to a pyramid of levels; on each, windows of one size are tried everywhere. A window
 * passes stage after stage of tests or is dropped; a test compares the brightness of some
 * rectangles. Integral images, which hold at each place the sum of all pixels above and left of it,
 * give the brightness of a rectangle by four look-ups.
 *
 * Three steps on each level: shrink the photo and add up its rows; add them up downwards, so that
 * integral images result; scan the windows.
 */
#ifndef KERNELS_VIOLA_JONES_VIOLA_JONES_H
#define KERNELS_VIOLA_JONES_VIOLA_JONES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { VJ_RECTANGLES = 3, VJ_COLUMNS = 64 /* that a task adds up downwards, with --style loops */ };

/* A rectangle's corners in an integral image, relative to the window's: top left, top right, bottom
 * left, bottom right. */
struct vj_corners {
  int32_t at[4];
};

/* A test: which of two numbers it adds to the stage's sum. */
struct vj_stump {
  struct vj_corners rectangles[VJ_RECTANGLES];
  float weights[VJ_RECTANGLES]; /* 0: no such rectangle; only the last can be missing */
  float threshold;
  float below, above;
};

struct vj_stage {
  size_t stump_count;
  float threshold; /* a window whose sum is below does not pass */
};

struct vj_cascade {
  size_t width, height;     /* of a window */
  struct vj_corners inside; /* the window without its border, for the variance */
  double inside_area;
  const struct vj_stage* stages;
  const struct vj_stump* stumps; /* of all stages, one after the other */
  size_t stage_count;
};

/* A pixel of a level lies between the pixels `at` and at + 1 of the photo. */
struct vj_tap {
  uint32_t at;
  uint32_t weight; /* of the pixel at + 1, of 256 */
};

struct vj_level {
  size_t width, height;
  float scale;           /* of the photo to the level */
  size_t step;           /* from a window to the next, across and down */
  size_t window_columns; /* in which a window may begin */
  size_t window_reach;   /* rows in which a window may begin; each step-th is scanned */
  const struct vj_tap *across, *down; /* for each column and row of the level */
  uint32_t* sums; /* integral images: height + 1 rows, each of `stride` sums of pixels, then as many
                       of their squares; the first row and all first columns are 0 */
  uint16_t* hits; /* columns of the windows that passed: of the r-th scanned row, from
                       hits[r * window_columns] on */
  uint32_t* counts; /* of each scanned row's hits */
};

struct viola_jones {
  const uint8_t* pixels;
  size_t width;  /* of the photo */
  size_t stride; /* of integral images: sums of pixels in a row */
  size_t row;    /* twice that: all numbers in a row */
  size_t band;   /* rows of a task, scanned rows for the third step */
  bool loops;    /* parallel loops instead of tasks in order of their data */
  const struct vj_cascade* cascade;
  const struct vj_level* levels;
  size_t level_count;
};

/* Rows of a level, or scanned rows. */
struct vj_band {
  const struct vj_level* level;
  size_t first;
  size_t rows;
};

/* A level's windows that are scanned begin in so many rows. */
static inline size_t vj_scanned_rows(const struct vj_level* level) {
  return (level->window_reach + level->step - 1) / level->step;
}

/* The bands that begin at row `first`: of the level's rows, and of its scanned ones. */
static inline struct vj_band vj_band_at(const struct viola_jones* v, const struct vj_level* level,
                                        size_t first) {
  const size_t left = level->height - first;
  const struct vj_band band = {level, first, v->band < left ? v->band : left};
  return band;
}
static inline struct vj_band vj_scan_band_at(const struct viola_jones* v,
                                             const struct vj_level* level, size_t first) {
  const size_t left = vj_scanned_rows(level) - first;
  const struct vj_band band = {level, first, v->band < left ? v->band : left};
  return band;
}

/* A row of the integral images. That of the level's row y is y + 1. */
static inline uint32_t* vj_sums(const struct viola_jones* v, const struct vj_level* level,
                                size_t row) {
  return level->sums + row * v->row;
}

/* How many rows of the photo a band is made of, and how many of integral images it scans. */
static inline size_t vj_source_rows(struct vj_band band) {
  const struct vj_tap* down = band.level->down + band.first;
  return down[band.rows - 1].at + 2 - down[0].at;
}
static inline size_t vj_seen_rows(const struct viola_jones* v, struct vj_band band) {
  return (band.rows - 1) * band.level->step + v->cascade->height + 1;
}

/* The steps. shrink: the level's rows from the photo's, summed up from left to right. add: each
 * number becomes the sum of itself and all above, in rows below one that is complete, or in some
 * columns of all rows (`sums`: the first of the level's own rows). scan: finds the windows of rows
 * that begin at the row `sums`. */
void vj_shrink(const struct viola_jones* v, struct vj_band band, const uint8_t* pixels,
               uint32_t* sums);
void vj_add_rows(const struct viola_jones* v, struct vj_band band, const uint32_t* above,
                 uint32_t* sums);
void vj_add_columns(const struct viola_jones* v, size_t rows, size_t columns, uint32_t* sums,
                    uint32_t* squares);
void vj_scan(const struct viola_jones* v, struct vj_band band, const uint32_t* sums, uint16_t* hits,
             uint32_t* counts);

/* The programs. */
void viola_jones_serial(struct viola_jones* v);
void viola_jones_tasks(struct viola_jones* v);

#ifdef __cplusplus
}
#endif
#endif
