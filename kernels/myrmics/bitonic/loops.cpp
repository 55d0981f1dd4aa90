// SPDX-License-Identifier: Apache-2.0
//
// Bitonic sort as loops over the tiles, one for each step and part. Partners are read where they
// are, so parts need not be powers of two.
#include <myr/frontend.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "common/job_table.hpp"
#include "common/wait_for_region.hpp"
#include "myrmics/bitonic/bitonic.h"

namespace {

// The tiles of both copies, counted through all parts.
kernels::JobTable<int> tiles[2];

void set_tables(const bitonic& data) {
  for (const int copy : {0, 1}) {
    tiles[copy].fill(data.tile_total, [&](std::size_t i) { return bitonic_tile(&data, copy, i); });
  }
}

// A step of a stage, or with distance 0 the sorting of the tiles.
struct Step {
  std::size_t size;  // of a tile
  std::size_t distance, length;
  int copy;

  [[nodiscard]] int* mine(std::size_t i) const { return tiles[copy][i]; }
  [[nodiscard]] int* partner(std::size_t i) const { return mine(i ^ distance); }
  [[nodiscard]] int* target(std::size_t i) const { return tiles[1 - copy][i]; }
};

int run(void* closure, std::size_t begin, std::size_t end) {
  const Step& step = *static_cast<Step*>(closure);
  for (std::size_t i = begin; i < end; ++i) {
    if (step.distance == 0) {
      bitonic_sort(step.mine(i), step.target(i), step.size);
    } else {
      bitonic_merge(step.mine(i), step.partner(i), step.target(i), step.size,
                    bitonic_keeps_low(i, step.distance, step.length));
    }
  }
  return 0;
}

std::size_t footprint(const void* closure, std::size_t begin, std::size_t end,
                      myr_access* accesses) {
  const Step& step = *static_cast<const Step*>(closure);
  const bool sorts = step.distance == 0;
  for (std::size_t i = begin; accesses != nullptr && i < end; ++i) {
    *accesses++ = sorts ? myr_inout(step.mine(i)) : myr_in(step.mine(i));
    if (!sorts) *accesses++ = myr_in(step.partner(i));
    *accesses++ = myr_out(step.target(i));
  }
  return (end - begin) * (sorts ? 2 : 3);
}

void destroy(void* closure) { delete static_cast<Step*>(closure); }

// Adds the partners of tiles from..to-1, with a window for those side by side in one part.
void add_partners(const bitonic& data, const Step& step, std::size_t from, std::size_t to,
                  std::vector<void*>& objects, std::vector<myr_window>& windows) {
  objects.reserve(to - from);  // the windows point there
  for (std::size_t i = from; i < to; ++i) {
    const std::size_t part = bitonic_part_with(&data, i ^ step.distance);
    const myr_region region = data.part[part].copy[step.copy].region;
    objects.push_back(step.partner(i));
    if (i == from || windows.back().region != region) {
      windows.push_back({.size = sizeof(myr_window),
                         .region = region,
                         .mode = MYR_IN,
                         .objects = &objects.back(),
                         .count = 0,
                         .first = static_cast<std::ptrdiff_t>(i),
                         .before = 0,
                         .after = 0});
    }
    windows.back().count += 1;
  }
}

void spawn_part(const bitonic& data, const Step& step, std::size_t part) {
  const std::size_t from = bitonic_first_tile(&data, part);
  const std::size_t to = bitonic_first_tile(&data, part + 1);
  const bool sorts = step.distance == 0;
  const auto whole = [&](int copy, unsigned mode) -> myr_window {
    const tile_set& all = data.part[part].copy[copy];
    return {.size = sizeof(myr_window),
            .region = all.region,
            .mode = mode,
            .objects = all.tiles,
            .count = to - from,
            .first = static_cast<std::ptrdiff_t>(from),
            .before = 0,
            .after = 0};
  };
  std::vector<void*> partners;
  std::vector<myr_window> windows;
  windows.push_back(whole(1 - step.copy, MYR_OUT));
  if (!sorts) add_partners(data, step, from, to, partners, windows);
  windows.push_back(whole(step.copy, sorts ? MYR_INOUT : MYR_IN));
  const myr_loop loop = {.size = sizeof(myr_loop),
                         .begin = from,
                         .end = to,
                         .grain = 1,
                         .run = run,
                         .footprint = footprint,
                         .destroy = destroy,
                         .data = std::make_unique<Step>(step).release(),
                         .windows = windows.data(),
                         .window_count = windows.size(),
                         .data_bytes = sizeof(Step)};
  myr_for(&loop);
}

// Main spawns two steps while the one before runs, and then leaves its worker to tasks: waits until
// the first part of this copy is written. While it is there, some other worker has two tiles.
void wait_for_step(const bitonic& data, int copy) {
  const myr_access written =
      myr_region_access(data.part[0].copy[copy].region, MYR_IN | MYR_NOTRANSFER);
  myr_wait_array(&written, 1);
}

}  // namespace

void bitonic_tasks(bitonic* data) {
  const auto spawn = [data](int copy, std::size_t distance, std::size_t length) {
    const Step step{data->tile_size, distance, length, copy};
    for (std::size_t p = 0; p < data->part_count; ++p) spawn_part(*data, step, p);
  };
  set_tables(*data);
  spawn(0, 0, 0);
  int copy = 0;
  for (std::size_t length = 2; length <= data->tile_total; length *= 2) {
    for (std::size_t distance = length / 2; distance > 0; distance /= 2) {
      spawn(copy, distance, length);
      if (copy == 1) wait_for_step(*data, copy);
      copy = 1 - copy;
    }
  }
  data->sorted = copy;
  kernels::wait_for_region(data->region, data->end);
}
