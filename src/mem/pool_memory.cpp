// SPDX-License-Identifier: Apache-2.0
//
// Where a pool's slabs come from and go to: chunks of its depot while it is small, whole pages
// later, page runs of their own for huge objects.
#include <algorithm>

#include "mem/place.hpp"
#include "mem/pool.hpp"
#include "mem/slots.hpp"

namespace myr::mem {

using sync::relaxed;

namespace {

void clear_slabs(Extent slabs) noexcept {
  for (std::uint32_t i = slabs.first; i < slabs.end(); ++i) {
    slab_at(i).live.store(0, relaxed);
    slab_at(i).owner_code.store(0, relaxed);
  }
}

// A pool that grows first uses up parked spans when they are at least this share of it: 1/8.
constexpr std::uint32_t kParkedShare = 8;

Extent pages_of_huge(std::uint32_t first_page) noexcept {
  const std::uint64_t granules = slab_at(first_page * kPageSlabs).granules.load(relaxed);
  return {first_page, static_cast<std::uint32_t>((granules + kPageGranules - 1) / kPageGranules)};
}

}  // namespace

// Before the pool grows, what lies parked in other size classes serves if it is much.
Extent Pool::take_slabs(std::uint32_t count) noexcept {
  Extent slabs = runs_.take(count);
  if (slabs) return slabs;
  if (parked_slabs_ >= count && parked_slabs_ >= slab_count_ / kParkedShare) {
    release_parked();
    slabs = runs_.take(count);
    if (slabs) return slabs;
  }
  if (grow(count)) return runs_.take(count);
  release_parked();
  home_->source().reclaim();
  slabs = runs_.take(count);
  if (!slabs && grow(count)) slabs = runs_.take(count);
  return slabs;
}

// Doubles a small pool, so that the number of its chunks stays small; later adds page by page. When
// pages have run out, the largest chunk that is left.
bool Pool::grow(std::uint32_t count) noexcept {
  constexpr std::uint32_t kChunkSlabsMax = kPageSlabs / 2;
  std::uint32_t wanted = std::max(count, slab_count_);
  if (wanted < kChunkSlabsMax && add_chunk(wanted)) return true;
  if (add_page()) return true;
  for (wanted = std::min(wanted, kChunkSlabsMax); wanted > count; wanted /= 2) {
    if (add_chunk(wanted)) return true;
  }
  return add_chunk(count);
}

bool Pool::add_chunk(std::uint32_t count) noexcept {
  if (chunk_count_ == kChunksMax) return false;
  const Extent chunk = home_->take_chunk(count);
  if (!chunk) return false;
  chunks_[chunk_count_++] = chunk;
  slab_count_ += count;
  runs_.add(chunk);
  return true;
}

bool Pool::add_page() noexcept {
  const Extent page = home_->source().take(1);
  if (!page) return false;
  link_page(pages_, page.first);
  slab_count_ += kPageSlabs;
  runs_.add(slabs_of_pages(page));
  return true;
}

std::uint32_t Pool::idle_max() const noexcept { return home_->source().level(kIdleSlabs); }

void Pool::give_slabs(Extent slabs) noexcept {
  const Extent run = runs_.add(slabs);
  if (idle_slabs() <= kIdleSlabs.low) return;
  // Half of the mark stays: a pool that breathes does not trade with each breath.
  const std::uint32_t mark = idle_max();
  if (idle_slabs() > mark) give_back(run, idle_slabs() - mark / 2);
}

void Pool::give_back(Extent run, std::uint32_t slabs_max) noexcept {
  Extent pages = whole_pages(run);
  while (pages && page_at(pages.first).pool != holder()) pages = {pages.first + 1, pages.count - 1};
  std::uint32_t held = 0;
  while (held < std::min(pages.count, slabs_max / kPageSlabs) &&
         page_at(pages.first + held).pool == holder()) {
    unlink_page(pages_, pages.first + held);
    held += 1;
  }
  if (held == 0) return give_back_chunk(run);
  pages.count = held;
  runs_.cut(run, slabs_of_pages(pages));
  slab_count_ -= held * kPageSlabs;
  home_->source().give(pages);
}

void Pool::trim() {
  release_parked();
  for (std::uint32_t before = 0; before != slab_count_;) {
    before = slab_count_;
    std::vector<Extent> runs;  // giving back changes the lists that for_each() walks
    runs_.for_each([&runs](Extent run) { runs.push_back(run); });
    for (const Extent run : runs) give_back(run, run.count);
  }
}

void Pool::give_back_chunk(Extent run) noexcept {
  for (std::uint32_t i = 0; i < chunk_count_; ++i) {
    const Extent chunk = chunks_[i];
    if (!run.covers(chunk)) continue;
    chunks_[i] = chunks_[--chunk_count_];
    runs_.cut(run, chunk);
    slab_count_ -= chunk.count;
    home_->give_chunk(chunk);
    return;
  }
}

void* Pool::alloc_large(std::uint64_t granules) noexcept {
  const Extent slabs = take_slabs(slabs_for(granules));
  if (!slabs) return nullptr;
  enter_span(slabs, granules, 1);
  slab_at(slabs.first).live.store(1, relaxed);
  return slab_address(slabs.first);
}

// One entry in the slab table, however huge: pages name their first page instead.
void* Pool::alloc_huge(std::uint64_t granules) noexcept {
  const auto count =
      static_cast<std::uint32_t>(base::round_up(granules * kGranuleBytes, kPageBytes) / kPageBytes);
  Extent pages = home_->source().take(count);
  if (!pages) {
    home_->source().reclaim();
    pages = home_->source().take(count);
  }
  if (!pages) return nullptr;
  const std::uint32_t slab = pages.first * kPageSlabs;
  enter_span({slab, 1}, granules, 1);
  slab_at(slab).live.store(1, relaxed);
  for (std::uint32_t page = pages.first; page < pages.end(); ++page) {
    page_at(page).huge_first.store(pages.first, relaxed);
  }
  link_page(huge_, pages.first);
  return slab_address(slab);
}

void* Pool::alloc_blocks(std::size_t bytes, unsigned block_shift) noexcept {
  if (bytes > kHeapBytesMax) return nullptr;
  const std::uint64_t granules = std::max<std::uint64_t>(
      base::round_up(bytes, kGranuleBytes) / kGranuleBytes, kSharedGranulesMax + 1);
  void* const array =
      slabs_for(granules) > kPageSlabs ? alloc_huge(granules) : alloc_large(granules);
  if (array == nullptr) return nullptr;
  place_of(array).span->live.store(std::uint64_t{1} << block_shift, relaxed);
  return array;
}

void Pool::free_huge(std::uint32_t slab) noexcept {
  const Extent pages = pages_of_huge(slab / kPageSlabs);
  for (std::uint32_t page = pages.first; page < pages.end(); ++page) {
    page_at(page).huge_first.store(kNone, relaxed);
  }
  unlink_page(huge_, pages.first);
  clear_slabs({slab, 1});
  home_->source().give(pages);
}

void Pool::link_page(std::uint32_t& list, std::uint32_t page) noexcept {
  Page& links = page_at(page);
  links.pool = holder();
  links.next = list;
  links.prev = kNone;
  if (list != kNone) page_at(list).prev = page;
  list = page;
}

void Pool::unlink_page(std::uint32_t& list, std::uint32_t page) noexcept {
  Page& links = page_at(page);
  links.pool = 0;
  if (links.next != kNone) page_at(links.next).prev = links.prev;
  if (links.prev != kNone) {
    page_at(links.prev).next = links.next;
  } else {
    list = links.next;
  }
}

void Pool::close() noexcept {
  Pages& source = home_->source();
  std::uint64_t page_runs = 0;
  for (; huge_ != kNone; ++page_runs) free_huge(huge_ * kPageSlabs);
  runs_.forget();
  for (; pages_ != kNone; ++page_runs) {
    Extent pages{pages_, 0};
    do {  // pages were added in ascending order, mostly
      pages = {pages_, pages.count + 1};
      unlink_page(pages_, pages_);
    } while (pages_ != kNone && pages_ + 1 == pages.first);
    clear_slabs(slabs_of_pages(pages));
    source.give(pages);
  }
  for (std::uint32_t i = 0; i < chunk_count_; ++i) clear_slabs(chunks_[i]);
  give_class_table();
  home_->close(this, {chunks_, chunk_count_}, page_runs);
}

std::vector<Extent> Pool::extents() const {
  std::vector<Extent> found(chunks_, chunks_ + chunk_count_);
  for (std::uint32_t page = pages_; page != kNone; page = page_at(page).next) {
    found.push_back(slabs_of_pages({page, 1}));
  }
  for (std::uint32_t page = huge_; page != kNone; page = page_at(page).next) {
    const std::uint32_t slab = page * kPageSlabs;
    found.push_back({slab, slabs_for(slab_at(slab).granules.load(relaxed))});
  }
  std::sort(found.begin(), found.end(), [](Extent a, Extent b) { return a.first < b.first; });
  std::vector<Extent> joined;  // a span may lie across the border of two neighbours
  for (const Extent extent : found) {
    if (!joined.empty() && joined.back().end() == extent.first) {
      joined.back().count += extent.count;
    } else {
      joined.push_back(extent);
    }
  }
  return joined;
}

}  // namespace myr::mem
