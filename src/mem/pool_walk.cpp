// SPDX-License-Identifier: Apache-2.0
//
// Walks over a pool's slabs in address order: packing and statistics.
#include <algorithm>
#include <bit>

#include "mem/pool.hpp"

namespace myr::mem {

using sync::relaxed;

namespace {

struct SlabUse {
  bool by_objects;     // an object lies in it, or reaches into it
  bool by_free_slots;  // a free slot does
};

// The granule after the last slot of `starts`, a mask of the slab that begins at granule `slab_start`.
std::uint64_t reach_of(std::uint64_t starts, std::uint64_t slab_start,
                       std::uint64_t granules) noexcept {
  return slab_start + static_cast<unsigned>(std::bit_width(starts)) - 1 + granules;
}

// Calls visit(Extent, SlabUse) for all slabs, in order; slabs in the middle of one slot come as one extent.
template <class Visit>
void walk(Extent slabs, Visit visit) {
  std::uint64_t live_end = 0;  // objects seen so far reach up to this granule
  std::uint64_t free_end = 0;  // free slots do
  for (std::uint32_t i = slabs.first; i < slabs.end();) {
    const Slab& slab = slab_at(i);
    const std::uint64_t start = std::uint64_t{i} * kSlabGranules;
    const std::uint64_t granules = slab.granules.load(relaxed);
    const std::uint64_t live = slab.live.load(relaxed);
    const std::uint64_t free = granules != 0 ? slab.slots & ~live : 0;
    visit(Extent{i, 1}, SlabUse{live != 0 || live_end > start, free != 0 || free_end > start});
    if (live != 0) live_end = reach_of(live, start, granules);
    if (free != 0) free_end = reach_of(free, start, granules);
    i += 1;
    const auto covered = static_cast<std::uint32_t>(std::max(live_end, free_end) / kSlabGranules);
    if (covered <= i) continue;
    visit(Extent{i, covered - i}, SlabUse{live_end > free_end, free_end > live_end});
    i = covered;
  }
}

}  // namespace

void Pool::pack(std::vector<Range>& out) const {
  const std::size_t first_new = out.size();
  for (const Extent extent : extents()) {
    walk(extent, [&](Extent slabs, SlabUse use) {
      if (!use.by_objects) return;
      std::byte* const first = slab_address(slabs.first);
      const std::size_t bytes = slabs.count * kSlabBytes;
      if (out.size() > first_new && out.back().first + out.back().bytes == first) {
        out.back().bytes += bytes;
      } else {
        out.push_back({first, bytes});
      }
    });
  }
}

PoolStats Pool::stats() const {
  PoolStats stats;
  for (const Extent extent : extents()) {
    walk(extent, [&stats](Extent slabs, SlabUse use) {
      std::size_t& kind = !use.by_objects     ? stats.free_slabs
                          : use.by_free_slots ? stats.partial_slabs
                                              : stats.full_slabs;
      kind += slabs.count;
      const Slab& slab = slab_at(slabs.first);
      const auto objects = static_cast<std::size_t>(std::popcount(slab.live.load(relaxed)));
      stats.object_count += objects;
      stats.object_bytes += objects * slab.granules.load(relaxed) * kGranuleBytes;
    });
  }
  return stats;
}

}  // namespace myr::mem
