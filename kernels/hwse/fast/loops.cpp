// SPDX-License-Identifier: Apache-2.0
//
// fast.c as two loops over the bands, without a barrier: corners are listed as soon as the bands
// around have their scores.
#include <algorithm>
#include <cstddef>
#include <myr/myr.hpp>

#include "hwse/fast/fast.h"

namespace {

using myr::Range;

// The rows of some bands.
Range rows_of(const fast& f, Range bands) {
  const std::size_t end = f.height - FAST_BORDER;
  return {FAST_BORDER + bands.from * f.band, std::min(FAST_BORDER + bands.to * f.band, end)};
}
// What some bands have in memory with so many numbers a row, and `more` rows on each side.
auto reads(const fast& f, const auto* numbers, std::size_t more) {
  return myr::by_part([=](Range bands) {
    const Range rows = rows_of(f, bands);
    return myr::in(numbers + (rows.from - more) * f.width, (rows.size() + 2 * more) * f.width);
  });
}
auto writes(const fast& f, auto* numbers, std::size_t each_row) {
  return myr::by_part([=](Range bands) {
    const Range rows = rows_of(f, bands);
    return myr::out(numbers + rows.from * each_row, rows.size() * each_row);
  });
}

}  // namespace

void fast_tasks(fast* program) {
  const fast f = *program;
  const Range bands{0, (f.height - 2 * FAST_BORDER + f.band - 1) / f.band};
  myr::for_each(bands, reads(f, f.pixels, FAST_BORDER), writes(f, f.scores, f.width),
                [=](std::size_t band) {
                  const Range rows = rows_of(f, {band, band + 1});
                  fast_score(&f, f.pixels + (rows.from - FAST_BORDER) * f.width,
                             f.scores + rows.from * f.width, rows.size());
                });
  myr::for_each(bands, reads(f, f.scores, 1), writes(f, f.columns, f.width), writes(f, f.counts, 1),
                [=](std::size_t band) {
                  const Range rows = rows_of(f, {band, band + 1});
                  fast_list(&f, f.scores + (rows.from - 1) * f.width,
                            f.columns + rows.from * f.width, f.counts + rows.from, rows.size());
                });
  myr::wait_all();
}
