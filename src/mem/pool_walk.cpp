// SPDX-License-Identifier: Apache-2.0
//
// Walks over a pool's slabs in address order: packing, statistics, invariants.
#include <algorithm>
#include <bit>
#include <set>

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

// ---- invariants ---------------------------------------------------------------------------------

// By first slab: those in the lists of size classes.
struct Pool::ListedSpans {
  std::set<std::uint32_t> listed;
  std::set<std::uint32_t> parked;
};

const char* Pool::find_listed(ListedSpans& listed) const {
  std::uint32_t parked_slabs = 0;
  for (std::uint32_t i = 1; i < class_count_; ++i) {
    const SizeClass& size_class = classes_[i];
    const auto is_of_class = [&](std::uint32_t span) {
      return slab_at(span).granules.load(relaxed) == size_class.granules;
    };
    for (std::uint32_t span = size_class.listed; span != kNone; span = run_at(span).next) {
      if (!is_of_class(span) || !listed.listed.insert(span).second) return "a list is astray";
    }
    for (std::uint32_t span = size_class.parked; span != kNone; span = run_at(span).next) {
      if (!is_of_class(span) || !listed.parked.insert(span).second) return "a list is astray";
      parked_slabs += slab_at(span).span_slabs;
    }
    if (size_class.span == nullptr) {
      if (size_class.mask != 0) return "a class hands out slots of no span";
    } else if (size_class.span->state != SpanState::Current ||
               (size_class.mask & size_class.span->live.load(relaxed)) != 0) {
      return "a class hands out slots that are in use";
    }
  }
  return parked_slabs == parked_slabs_ ? nullptr : "another number of parked slabs is counted";
}

// For a span that is cut into slots.
const char* Pool::broken_invariant(std::uint32_t first, const ListedSpans& listed) const {
  const Slab& span = slab_at(first);
  const std::uint64_t live = span.live.load(relaxed);
  const std::uint64_t slots = ~std::uint64_t{0} >> (kSlotsMax - span.slot_count);
  if ((live & ~slots) != 0) return "an object is in no slot";
  for (std::uint32_t i = first; i < first + span.span_slabs; ++i) {
    const Slab& slab = slab_at(i);
    const bool fits = slab.owner_code.load(relaxed) == owner_code_ &&
                      slab.first_offset.load(relaxed) == first * sizeof(Slab) &&
                      slab.granules.load(relaxed) == span.granules.load(relaxed);
    if (!fits) return "a slab of a span says something else";
  }
  if (listed.parked.contains(first)) return live == 0 ? nullptr : "a parked span has objects";
  if (span.state == SpanState::Current) return nullptr;
  if (live == 0) return "a span without objects is not parked";
  const bool is_listed = listed.listed.contains(first);
  if (is_listed != (span.state == SpanState::Listed)) return "a span is not in its list";
  return is_listed == (live != slots) ? nullptr : "a span with free slots is not found";
}

const char* Pool::broken_invariant() const {
  ListedSpans listed;
  if (const char* const what = find_listed(listed)) return what;
  std::uint32_t free = 0;
  std::uint32_t used = 0;  // but by huge objects
  for (const Extent extent : extents()) {
    for (std::uint32_t slab = extent.first; slab < extent.end();) {
      const Slab& span = slab_at(slab);
      const std::uint32_t granules = span.granules.load(relaxed);
      std::uint32_t count = 1;
      if (span.owner_code.load(relaxed) == 0) {
        free += 1;
      } else if (granules > kSharedGranulesMax) {
        count = slabs_for(granules);
        used += count > kPageSlabs ? 0 : count;
      } else {
        if (const char* const what = broken_invariant(slab, listed)) return what;
        count = span.span_slabs;
        used += count;
      }
      slab += count;
    }
  }
  if (free != runs_.free_count()) return "a slab is in no span and in no free run";
  if (used + free != slab_count_) return "another number of slabs is counted";
  return runs_.broken_invariant();
}

}  // namespace myr::mem
