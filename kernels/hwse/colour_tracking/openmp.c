/* SPDX-License-Identifier: Apache-2.0
 *
 * The program as OpenMP's own: parallel loops, or tasks with dependences. A dependence
 * names the first element of a band.
 */
#include "common/openmp_loop.h"
#include "hwse/colour_tracking/colour_tracking.h"

static void track_in_loops(const struct colour_tracking* t, size_t frame) {
  LOOP_WITHOUT_BARRIER for (size_t i = 0; i < t->band_count; ++i) {
    tracking_convert(tracking_band_of(t, frame, i), &t->reciprocals);
  }
  LOOP_WITHOUT_BARRIER for (size_t i = 0; i < t->band_count; ++i) {
    tracking_mark(tracking_band_of(t, frame, i), t->range);
  }
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t i = 0; i < t->band_count; ++i) {
    tracking_measure(tracking_band_of(t, frame, i), t->width);
  }
#pragma omp single
  tracking_locate(tracking_band_of(t, frame, 0).sums, t->band_count, &t->track[frame]);
}

/* The bands' sums are written under `in` of their first one, as they do not meet each other, and
 * read under its `inout`. */
static void track_in_tasks(const struct colour_tracking* t, size_t frame) {
  const struct tracking_sums* band_sums = tracking_band_of(t, frame, 0).sums;
  for (size_t i = 0; i < t->band_count; ++i) {
    const struct tracking_band band = tracking_band_of(t, frame, i);
#pragma omp task depend(out : *band.hsv)
    tracking_convert(band, &t->reciprocals);
#pragma omp task depend(in : *band.hsv) depend(out : *band.marks)
    tracking_mark(band, t->range);
#pragma omp task depend(in : *band.marks, *band_sums)
    tracking_measure(band, t->width);
  }
#pragma omp task depend(inout : *band_sums)
  tracking_locate(band_sums, t->band_count, &t->track[frame]);
}

void colour_tracking_tasks(const struct colour_tracking* t) {
  if (t->loops) {
#pragma omp parallel
    for (size_t frame = 0; frame < t->frame_count; ++frame) track_in_loops(t, frame);
    return;
  }
#pragma omp parallel
#pragma omp single
  for (size_t frame = 0; frame < t->frame_count; ++frame) track_in_tasks(t, frame);
}
