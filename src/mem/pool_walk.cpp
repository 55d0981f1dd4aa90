// SPDX-License-Identifier: Apache-2.0
//
// Walks over a pool's slabs in address order: packing and statistics.
#include <algorithm>
#include <bit>

#include "mem/pool.hpp"
#include "mem/slots.hpp"

namespace myr::mem {

using sync::relaxed;

namespace {

struct SlabUse {
  bool by_objects = false;     // an object lies in it, or reaches into it
  bool by_free_slots = false;  // a free slot does
};

// The slots that lie in slab number `slab` of a span or reach into it, as a mask.
std::uint64_t slots_in(const Slab& span, std::uint32_t slab) noexcept {
  const std::uint32_t inverse = span.inverse.load(relaxed);
  const std::uint64_t first = divide(std::uint64_t{slab} * kSlabGranules, inverse).slot();
  const std::uint64_t last =
      divide(std::uint64_t{slab} * kSlabGranules + kSlabGranules - 1, inverse).slot();
  std::uint64_t slots = ~std::uint64_t{0} >> (kSlotsMax - span.slot_count);
  if (last < kSlotsMax - 1) slots &= (std::uint64_t{2} << last) - 1;
  return first < kSlotsMax ? slots >> first << first : 0;
}

// Calls visit(Extent, SlabUse) for all slabs, in order; the slabs of a large object come at once.
template <class Visit>
void walk(Extent slabs, Visit visit) {
  std::uint32_t i = slabs.first;
  while (i < slabs.end()) {
    const Slab& span = slab_at(i);
    const std::uint32_t granules = span.granules.load(relaxed);
    const std::uint64_t live = span.live.load(relaxed);
    if (span.owner_code.load(relaxed) == 0) {
      visit(Extent{i, 1}, SlabUse{});
      i += 1;
    } else if (granules > kSharedGranulesMax) {
      visit(Extent{i, slabs_for(granules)}, SlabUse{.by_objects = true});
      i += slabs_for(granules);
    } else {
      const std::uint32_t count = span.span_slabs;
      for (std::uint32_t slab = 0; slab < count; ++slab) {
        const std::uint64_t here = slots_in(span, slab);
        visit(Extent{i + slab, 1}, SlabUse{(live & here) != 0, (~live & here) != 0});
      }
      i += count;
    }
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
