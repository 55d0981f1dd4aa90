/* SPDX-License-Identifier: Apache-2.0
 *
 * The program in both styles that the paper compares. In loops: for each frame three parallel loops
 * over its bands, with a barrier behind each. In tasks: bands of several frames at once, ordered by
 * the memory that they pass on; a frame waits only until its slot is free.
 */
#include "hwse/colour_tracking/colour_tracking.h"

static void track_in_loops(const struct colour_tracking* t, size_t frame) {
  for (size_t i = 0; i < t->band_count; ++i) {
#pragma omp task
    tracking_convert(tracking_band_of(t, frame, i), &t->reciprocals);
  }
#pragma omp taskwait
  for (size_t i = 0; i < t->band_count; ++i) {
#pragma omp task
    tracking_mark(tracking_band_of(t, frame, i), t->range);
  }
#pragma omp taskwait
  for (size_t i = 0; i < t->band_count; ++i) {
#pragma omp task
    tracking_measure(tracking_band_of(t, frame, i), t->width);
  }
#pragma omp taskwait
  tracking_locate(tracking_band_of(t, frame, 0).sums, t->band_count, &t->track[frame]);
}

static void track_in_tasks(const struct colour_tracking* t, size_t frame) {
  for (size_t i = 0; i < t->band_count; ++i) {
    const struct tracking_band band = tracking_band_of(t, frame, i);
#pragma omp task out([band.pixel_count * TRACKING_CHANNELS] band.hsv)
    tracking_convert(band, &t->reciprocals);
#pragma omp task in([band.pixel_count * TRACKING_CHANNELS] band.hsv), \
    out([band.pixel_count] band.marks)
    tracking_mark(band, t->range);
#pragma omp task in([band.pixel_count] band.marks), out([1] band.sums)
    tracking_measure(band, t->width);
  }
  const struct tracking_sums* band_sums = tracking_band_of(t, frame, 0).sums;
  struct tracking_sums* sums = &t->track[frame];
#pragma omp task in([t->band_count] band_sums), out([1] sums)
  tracking_locate(band_sums, t->band_count, sums);
}

void colour_tracking_run(const struct colour_tracking* t) {
  for (size_t frame = 0; frame < t->frame_count; ++frame) {
    if (t->loops) {
      track_in_loops(t, frame);
    } else {
      track_in_tasks(t, frame);
    }
  }
#pragma omp taskwait
}
