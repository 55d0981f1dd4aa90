// SPDX-License-Identifier: Apache-2.0
//
// colour_tracking.c as three loops over the bands of each frame, without a barrier: a band is
// marked as soon as it is converted, and frames follow each other while there are slots for them.
#include <cstddef>
#include <myr/myr.hpp>

#include "hwse/colour_tracking/colour_tracking.h"

namespace {

using myr::Range;

// The memory of some bands, `bytes` of each pixel.
template <class T>
auto bands(const colour_tracking& t, T* first, std::size_t bytes) {
  return [=, rows = t.band_rows, height = t.height, width = t.width](Range r) {
    const Range pixels{r.from * rows * width,
                       (r.to * rows < height ? r.to * rows : height) * width};
    return myr::inout(first + pixels.from * bytes, pixels.size() * bytes);
  };
}

void track(const colour_tracking* t, std::size_t frame) {
  using myr::by_part;
  using myr::part;
  const tracking_band first = tracking_band_of(t, frame, 0);
  const Range all{0, t->band_count};
  const auto hsv = by_part(bands(*t, first.hsv, TRACKING_CHANNELS));
  const auto marks = by_part(bands(*t, first.marks, 1));
  myr::for_each(all, hsv, [=](std::size_t i) {
    tracking_convert(tracking_band_of(t, frame, i), &t->reciprocals);
  });
  myr::for_each(all, hsv, marks,
                [=](std::size_t i) { tracking_mark(tracking_band_of(t, frame, i), t->range); });
  myr::for_each(all, marks, myr::out(first.sums, part),
                [=](std::size_t i) { tracking_measure(tracking_band_of(t, frame, i), t->width); });
  myr::spawn([t](const tracking_sums* band_sums,
                 tracking_sums* sums) { tracking_locate(band_sums, t->band_count, sums); },
             myr::in(first.sums, t->band_count), myr::out(t->track + frame, 1));
}

}  // namespace

void colour_tracking_tasks(const colour_tracking* t) {
  for (std::size_t frame = 0; frame < t->frame_count; ++frame) track(t, frame);
  myr::wait_all();
}
