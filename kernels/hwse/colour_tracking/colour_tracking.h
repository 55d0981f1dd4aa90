/* SPDX-License-Identifier: Apache-2.0
 *
 * Following an object by its colour through the frames of a video. A frame is cut into bands of
 * rows, and each band passes three steps: its pixels become hue, saturation and brightness; those
 * within a range of colours are marked; the marks are summed up. The sums of all bands tell where
 * the object is. The programs are colour_tracking.c and openmp.c; the steps are in work.c.
 */
#ifndef KERNELS_COLOUR_TRACKING_H
#define KERNELS_COLOUR_TRACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TRACKING_CHANNELS = 3,
  TRACKING_SLOTS = 4 /* frames that may be worked on at a time; each has its own memory */
};

/* Hue (0 to 179, in units of 2 degrees), saturation and brightness; all limits are included. */
struct tracking_range {
  uint8_t low[TRACKING_CHANNELS];
  uint8_t high[TRACKING_CHANNELS];
};

/* By the denominators 0 to 255: what hue and saturation are multiplied with instead. */
struct tracking_reciprocals {
  int32_t hue[256];
  int32_t saturation[256];
};

/* Sums over the marked pixels. */
struct tracking_sums {
  uint64_t count;
  uint64_t x, y;
  uint64_t xx, xy, yy;
};

struct colour_tracking {
  size_t width, height;
  size_t frame_count;
  size_t band_rows;  /* the last band may have fewer */
  size_t band_count; /* of a frame */
  bool loops;        /* the style: parallel loops, or tasks in their own order */
  struct tracking_range range;
  struct tracking_reciprocals reciprocals;
  const uint8_t* frames;           /* red, green and blue of each pixel, frame after frame */
  uint8_t* hsv;                    /* of TRACKING_SLOTS frames, */
  uint8_t* marks;                  /* their marks, a byte each, */
  struct tracking_sums* band_sums; /* and the sums of their bands */
  struct tracking_sums* track;     /* the sums of every frame: the result */
};

/* One band on its way: where its data lie in each step. */
struct tracking_band {
  size_t first_row;
  size_t pixel_count;
  const uint8_t* rgb;
  uint8_t* hsv;
  uint8_t* marks;
  struct tracking_sums* sums;
};

static inline struct tracking_band tracking_band_of(const struct colour_tracking* t, size_t frame,
                                                    size_t band) {
  const size_t slot = frame % TRACKING_SLOTS;
  const size_t first_row = band * t->band_rows;
  const size_t rows = first_row + t->band_rows < t->height ? t->band_rows : t->height - first_row;
  const size_t first = first_row * t->width;
  const size_t frame_pixels = t->width * t->height;
  return (struct tracking_band){
      first_row,
      rows * t->width,
      t->frames + (frame * frame_pixels + first) * TRACKING_CHANNELS,
      t->hsv + (slot * frame_pixels + first) * TRACKING_CHANNELS,
      t->marks + slot * frame_pixels + first,
      t->band_sums + slot * t->band_count + band,
  };
}

void tracking_fill(struct tracking_reciprocals* reciprocals);

/* The steps on a band, and what follows them in each frame. */
void tracking_convert(struct tracking_band band, const struct tracking_reciprocals* reciprocals);
void tracking_mark(struct tracking_band band, struct tracking_range range);
void tracking_measure(struct tracking_band band, size_t width);
void tracking_locate(const struct tracking_sums* band_sums, size_t band_count,
                     struct tracking_sums* sums);

void colour_tracking_serial(const struct colour_tracking* t);
void colour_tracking_tasks(const struct colour_tracking* t);

#ifdef __cplusplus
}
#endif
#endif
