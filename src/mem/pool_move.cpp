// SPDX-License-Identifier: Apache-2.0
//
// A pool goes from one process to another. Both have the same heap at the same place, so it keeps
// its block, its slabs and its objects' addresses, and only what the tables say of them is told.
// What lies between its spans, and spans without objects, are free slabs where it comes.
#include <algorithm>
#include <new>

#include "mem/pool.hpp"
#include "mem/slots.hpp"

namespace myr::mem {

using sync::relaxed;
using Kind = PoolPart::Kind;

namespace {

bool is_huge(std::uint32_t slab) noexcept {
  return page_at(slab / kPageSlabs).huge_first.load(relaxed) == slab / kPageSlabs &&
         slab % kPageSlabs == 0;
}

std::uint32_t span_slabs(std::uint32_t slab) noexcept {
  const std::uint32_t granules = slab_at(slab).granules.load(relaxed);
  return granules > kSharedGranulesMax ? slabs_for(granules) : slab_at(slab).span_slabs;
}

// For the spans and huge objects there. Spans without objects are nobody's from now on.
void leave_spans(Extent extent, std::vector<PoolPart>& parts) {
  for (std::uint32_t slab = extent.first; slab < extent.end();) {
    Slab& entry = slab_at(slab);
    if (entry.owner_code.load(relaxed) == 0) {
      slab += 1;
      continue;
    }
    const std::uint32_t count = span_slabs(slab);
    const PoolPart part{.live = entry.live.load(relaxed),
                        .first = slab,
                        .count = count,
                        .granules = entry.granules.load(relaxed),
                        .kind = is_huge(slab) ? Kind::Huge : Kind::Span,
                        .slots = entry.slot_count};
    if (part.live != 0) {
      parts.push_back(part);
    } else {
      for (std::uint32_t i = 0; i < count; ++i) slab_at(slab + i).owner_code.store(0, relaxed);
    }
    slab += count;
  }
}

}  // namespace

std::vector<PoolPart> Pool::leave() {
  release_parked();
  std::vector<PoolPart> parts{{.live = reinterpret_cast<std::uintptr_t>(this)}};
  if (classes_ != inside_) {
    parts.front().first = static_cast<std::uint32_t>(heap_offset(classes_) / kSlabBytes);
    parts.front().count = class_table_slabs(class_capacity_);
  }
  for (std::uint32_t i = 0; i < chunk_count_; ++i) {
    parts.push_back({.first = chunks_[i].first, .count = chunks_[i].count, .kind = Kind::Chunk});
  }
  for (const Extent extent : extents()) leave_spans(extent, parts);
  runs_.forget();
  while (pages_ != kNone) {
    const Extent slabs = slabs_of_pages({pages_, 1});
    parts.push_back({.first = slabs.first, .count = slabs.count, .kind = Kind::Page});
    unlink_page(pages_, pages_);
  }
  while (huge_ != kNone) unlink_page(huge_, huge_);
  home_->leave();
  return parts;
}

Pool* Pool::come(Depot& home, std::uint32_t owner, std::span<const PoolPart> parts) {
  const PoolPart& block = parts.front();
  Pool* const pool = ::new (reinterpret_cast<void*>(block.live)) Pool(home, owner);
  if (block.count != 0) {
    pool->classes_ = reinterpret_cast<SizeClass*>(slab_address(block.first));
    pool->class_capacity_ =
        static_cast<std::uint16_t>(block.count * kSlabBytes / sizeof(SizeClass));
    *pool->classes_ = pool->inside_[0];
  }
  std::vector<Extent> own;
  for (const PoolPart& part : parts.subspan(1)) {
    if (part.kind == Kind::Chunk || part.kind == Kind::Page) {
      own.push_back({part.first, part.count});
    }
    pool->come_part(part);
  }
  pool->add_gaps(std::move(own), parts);
  home.come();
  return pool;
}

void Pool::come_part(const PoolPart& part) {
  const std::uint32_t page = part.first / kPageSlabs;
  if (part.kind == Kind::Chunk) {
    chunks_[chunk_count_++] = {part.first, part.count};
    slab_count_ += part.count;
  } else if (part.kind == Kind::Page) {
    link_page(pages_, page);
    slab_count_ += kPageSlabs;
  } else if (part.kind == Kind::Huge) {
    enter_span({part.first, 1}, part.granules, part.slots);
    slab_at(part.first).live.store(part.live, relaxed);
    const std::uint32_t end = page + (part.count + kPageSlabs - 1) / kPageSlabs;
    for (std::uint32_t i = page; i < end; ++i) page_at(i).huge_first.store(page, relaxed);
    link_page(huge_, page);
  } else {
    enter_span({part.first, part.count}, part.granules, part.slots);
    Slab& span = slab_at(part.first);
    span.live.store(part.live, relaxed);
    if (part.granules > kSharedGranulesMax) return;
    // There is room for the classes, as there was where the pool comes from.
    SizeClass* const size_class = class_for(part.granules);
    MYR_ASSERT(size_class != nullptr);
    if (part.live != ~std::uint64_t{0} >> (kSlotsMax - part.slots)) {
      list_span(*size_class, part.first);
    }
  }
}

// The parts of its chunks and pages that are in no span are free.
void Pool::add_gaps(std::vector<Extent> own, std::span<const PoolPart> parts) {
  std::vector<Extent> spans;
  for (const PoolPart& part : parts) {
    if (part.kind == Kind::Span) spans.push_back({part.first, part.count});
  }
  const auto is_before = [](Extent a, Extent b) { return a.first < b.first; };
  std::sort(own.begin(), own.end(), is_before);
  std::sort(spans.begin(), spans.end(), is_before);
  auto span = spans.begin();
  std::uint32_t next = kNone;  // what lies before is seen to
  for (const Extent extent : own) {
    next = std::max(next, extent.first);
    for (; span != spans.end() && span->first < extent.end(); ++span) {
      if (span->first > next) runs_.add({next, span->first - next});
      next = std::max(next, span->end());
    }
    if (next < extent.end()) runs_.add({next, extent.end() - next});
    next = std::max(next, extent.end());
  }
}

}  // namespace myr::mem
