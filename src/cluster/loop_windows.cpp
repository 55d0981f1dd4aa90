// SPDX-License-Identifier: Apache-2.0
#include "cluster/loop_windows.hpp"

#include <algorithm>
#include <span>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "mem/heap.hpp"

namespace myr::cluster {

namespace {

std::span<const myr_window> windows_of(const myr_loop& loop) {
  return {loop.windows, loop.window_count};
}

proto::Window as_message(const myr_window& window) {
  const bool writes = (window.mode & MYR_OUT) != 0;
  return {.region = proto::NodeId::region(window.region),
          .mode = writes ? proto::Mode::Write : proto::Mode::Read,
          .transfers = (window.mode & MYR_NOTRANSFER) == 0,
          .is_read = (window.mode & MYR_IN) != 0,
          .first = window.first,
          .count = window.count,
          .before = window.before,
          .after = window.after};
}

}  // namespace

void check_windows(const myr_loop& loop, const deps::RegionTree& regions, const myr_site* site) {
  for (std::size_t i = 0; i < loop.window_count; ++i) {
    const myr_window& window = loop.windows[i];
    for (std::size_t k = 0; k < window.count; ++k) {
      const void* const object = window.objects[k];
      const mem::Heap::Whole whole = mem::Heap::object_at(object);
      const bool is_there = mem::Heap::contains(object) && whole.bytes != 0;
      if (is_there && regions.id_of(whole.owner) == window.region) continue;
      base::misuse(site, base::format("a loop with object {} of window {}, {}, which is no object "
                                      "of the window's region; allocate it there, or name its own",
                                      k, i, object));
    }
  }
}

namespace {
bool are_distinct(std::span<void* const> objects) {
  std::vector<void*> sorted;
  sorted.assign(objects.begin(), objects.end());
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}
}  // namespace

bool has_independent_parts(const myr_loop& loop) {
  const auto is_of_one_iteration = [&](const myr_window& written) {
    if (written.before != 0 || written.after != 0) return false;
    const auto may_meet = [&](const myr_window& other) {
      return &other != &written && other.region == written.region;
    };
    const auto all = windows_of(loop);
    if (std::any_of(all.begin(), all.end(), may_meet)) return false;
    return are_distinct({written.objects, written.count});
  };
  const auto all = windows_of(loop);
  return std::all_of(all.begin(), all.end(), [&](const myr_window& window) {
    return (window.mode & MYR_OUT) == 0 || is_of_one_iteration(window);
  });
}

// All parts are like the one in the middle.
bool has_short_footprints(const base::WholeLoop& loop) {
  const myr_loop& what = *loop.what;
  const std::size_t begin = what.begin + loop.part_count() / 2 * loop.grain;
  const std::size_t end = begin + std::min(what.end - begin, loop.grain);
  std::size_t count = 0;
  for (const myr_window& window : windows_of(what)) {
    const auto [first, last] = proto::objects_of(as_message(window), {begin, end});
    count += last - first;
  }
  return what.footprint(what.data, begin, end, nullptr) < count;
}

std::vector<myr_access> regions_of(const myr_loop& loop) {
  std::vector<myr_access> regions;
  for (const myr_window& window : windows_of(loop)) {
    const auto found = std::find_if(regions.begin(), regions.end(), [&](const myr_access& access) {
      return access.region == window.region;
    });
    if (found == regions.end()) {
      regions.push_back(myr_region_access(window.region, window.mode));
    } else {
      found->flags |= window.mode;
    }
  }
  return regions;
}

proto::LoopPtr message_of(const base::WholeLoop& loop) {
  auto message = std::make_shared<proto::Loop>();
  message->iterations = {.begin = loop.what->begin, .end = loop.what->end};
  message->grain = loop.grain;
  for (const myr_window& window : windows_of(*loop.what)) {
    message->windows.push_back(as_message(window));
    for (void* const object : std::span(window.objects, window.count)) {
      message->objects.push_back(reinterpret_cast<std::uintptr_t>(object));
    }
  }
  return message;
}

}  // namespace myr::cluster
