// SPDX-License-Identifier: Apache-2.0
#include "mem/slab_copies.hpp"

#include <algorithm>

#include "mem/place.hpp"
#include "mem/slots.hpp"

namespace myr::mem {

using sync::relaxed;

namespace {

SlabCopy copy_of(std::uint32_t index, bool is_huge) noexcept {
  const Slab& slab = slab_at(index);
  return {.live = slab.live.load(relaxed),
          .slab = index,
          .owner_code = slab.owner_code.load(relaxed),
          .granules = slab.granules.load(relaxed),
          .first_offset = slab.first_offset.load(relaxed),
          .inverse = slab.inverse.load(relaxed),
          .span_slabs = slab.span_slabs,
          .slot_count = slab.slot_count,
          .is_huge = is_huge ? 1U : 0U};
}

std::uint32_t first_of_span(std::uint32_t slab) noexcept {
  return static_cast<std::uint32_t>(slab_at(slab).first_offset.load(relaxed) / sizeof(Slab));
}

// The pages of a huge object.
std::uint32_t pages_for(std::uint32_t granules) noexcept {
  return (slabs_for(granules) + kPageSlabs - 1) / kPageSlabs;
}
Extent pages_of(std::uint32_t first_slab) noexcept {
  return {first_slab / kPageSlabs, pages_for(slab_at(first_slab).granules.load(relaxed))};
}

void set_huge(Extent pages, std::uint32_t first) noexcept {
  for (std::uint32_t page = pages.first; page < pages.end(); ++page) {
    page_at(page).huge_first.store(first, relaxed);
  }
}

// Behind the first slab, nothing is to be found of what was there before.
void enter_huge(Extent pages) noexcept {
  set_huge(pages, pages.first);
  const Extent slabs = slabs_of_pages(pages);
  for (std::uint32_t slab = slabs.first + 1; slab < slabs.end(); ++slab) {
    slab_at(slab).owner_code.store(0, relaxed);
  }
}

// An object that was longer there before has nothing left behind the one that is there now.
void leave_rest(const SlabCopy& copy) noexcept {
  const std::uint32_t page = copy.slab / kPageSlabs;
  if (page_at(page).huge_first.load(relaxed) == page) {
    const Extent before = pages_of(page * kPageSlabs);
    const std::uint32_t kept = copy.is_huge != 0 ? pages_for(copy.granules) : 1;
    for (std::uint32_t i = kept; i < before.count; ++i) {
      if (page_at(page + i).huge_first.load(relaxed) == page) set_huge({page + i, 1}, kNone);
    }
  } else if (first_of_span(copy.slab) == copy.slab) {
    const bool is_first = copy.first_offset == copy.slab * sizeof(Slab);
    const std::uint32_t before = slab_at(copy.slab).span_slabs;
    for (std::uint32_t i = is_first ? copy.span_slabs : 1; i < before; ++i) {
      if (first_of_span(copy.slab + i) == copy.slab) leave_slab(copy.slab + i);
    }
  }
}

}  // namespace

std::vector<SlabCopy> copy_slabs(const void* address) {
  const std::uint64_t granule = heap_offset(address) / kGranuleBytes;
  if (granule >= described_granules.load(relaxed)) return {};
  const auto page = static_cast<std::uint32_t>(granule / kPageGranules);
  if (const std::uint32_t first = page_at(page).huge_first.load(relaxed); first != kNone) {
    return {copy_of(first * kPageSlabs, true)};
  }
  const std::uint32_t owner = slab_of(granule).owner_code.load(relaxed);
  if (owner == 0) return {};
  std::vector<SlabCopy> copies;
  std::uint32_t next = page * kPageSlabs;
  if (slab_at(next).owner_code.load(relaxed) == owner) next = first_of_span(next);
  for (std::uint32_t end = (page + 1) * kPageSlabs; next < end; ++next) {
    if (slab_at(next).owner_code.load(relaxed) != owner) continue;
    copies.push_back(copy_of(next, false));
    const std::uint32_t first = first_of_span(next);
    end = std::max(end, first + slab_at(first).span_slabs);
  }
  return copies;
}

// The owner last: a thread that sees it sees the rest, on this processor; others learn of the
// address later.
void enter_slab(const SlabCopy& copy) noexcept {
  leave_rest(copy);
  Slab& slab = slab_at(copy.slab);
  slab.granules.store(copy.granules, relaxed);
  slab.first_offset.store(copy.first_offset, relaxed);
  slab.inverse.store(copy.inverse, relaxed);
  slab.live.store(copy.live, relaxed);
  slab.span_slabs = copy.span_slabs;
  slab.slot_count = static_cast<std::uint8_t>(copy.slot_count);
  slab.state = SpanState::Full;
  slab.owner_code.store(copy.owner_code, relaxed);
  if (copy.is_huge != 0) {
    enter_huge(pages_of(copy.slab));
  } else {
    page_at(copy.slab / kPageSlabs).huge_first.store(kNone, relaxed);
  }
}

void leave_slab(std::uint32_t slab) noexcept {
  const std::uint32_t page = slab / kPageSlabs;
  const bool is_huge = slab % kPageSlabs == 0 && page_at(page).huge_first.load(relaxed) == page;
  if (is_huge) set_huge(pages_of(slab), kNone);
  slab_at(slab).owner_code.store(0, relaxed);
  slab_at(slab).live.store(0, relaxed);
}

void leave_pages(Extent pages) noexcept {
  set_huge(pages, kNone);
  const Extent slabs = slabs_of_pages(pages);
  for (std::uint32_t slab = slabs.first; slab < slabs.end(); ++slab) {
    slab_at(slab).owner_code.store(0, relaxed);
    slab_at(slab).live.store(0, relaxed);
  }
}

void leave_object(const void* object) noexcept {
  const Place place = place_of(object);
  const std::uint64_t live = place.span->live.load(relaxed) & ~(std::uint64_t{1} << place.slot);
  place.span->live.store(live, relaxed);
  if (live != 0) return;
  const std::uint32_t first = index_of(*place.span);
  for (std::uint32_t i = place.span->span_slabs; i-- > 0;) leave_slab(first + i);
}

std::uint32_t describing_slab(const void* address) noexcept {
  const auto slab = static_cast<std::uint32_t>(heap_offset(address) / kSlabBytes);
  const std::uint32_t huge = page_at(slab / kPageSlabs).huge_first.load(relaxed);
  return huge == kNone ? slab : huge * kPageSlabs;
}

}  // namespace myr::mem
