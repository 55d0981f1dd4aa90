// SPDX-License-Identifier: Apache-2.0
#include "mem/heap.hpp"

#include <array>
#include <bit>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "base/contract.hpp"
#include "mem/depot.hpp"
#include "mem/page_source.hpp"

namespace myr::mem {

using sync::relaxed;

namespace {

constexpr std::uint32_t kDepotCount = Heap::kDepotCount;
static_assert(kDepotCount <= Depot::kDepotsMax);

// What create() sets up and destroy() takes down. Static storage, so that instance() is an address.
struct State {
  Heap heap;
  std::optional<PageSource> source;  // empty: there is no heap
  alignas(Depot) std::byte depots[kDepotCount][sizeof(Depot)];

  Depot& depot(std::uint32_t index) noexcept {
    return *std::launder(reinterpret_cast<Depot*>(depots[index]));
  }
};
State& state() noexcept {
  alignas(State) static std::byte storage[sizeof(State)];
  static State* const made = ::new (storage) State;  // never destroyed: threads may outlive main
  return *made;
}

// Threads take depots in turn; with more threads than depots some share one.
std::uint32_t my_depot_index() noexcept {
  static sync::Atomic<std::uint32_t> next{0};
  thread_local const std::uint32_t mine = next.fetch_add(1, relaxed) % kDepotCount;
  return mine;
}

}  // namespace

base::Result<Heap*> Heap::create(HeapOptions options) {
  State& it = state();
  if (it.source) return base::Error{"the heap already exists"};
  it.source.emplace();
  if (base::Result<bool> started = it.source->start(options.reserve_bytes); !started) {
    it.source.reset();
    return started.error();
  }
  for (std::uint32_t i = 0; i < kDepotCount; ++i) {
    ::new (it.depots[i]) Depot(*it.source, i, sizeof(Pool));
  }
  return &it.heap;
}

bool Heap::exists() noexcept { return state().source.has_value(); }

Heap& Heap::instance() noexcept {
  MYR_DCHECK(state().source);
  return state().heap;
}

void Heap::destroy() noexcept {
  State& it = state();
  MYR_ASSERT(it.source);
  for (std::uint32_t i = 0; i < kDepotCount; ++i) std::destroy_at(&it.depot(i));
  it.source->stop();
  it.source.reset();
}

Pool* Heap::pool_new(std::uint32_t owner) noexcept {
  return pool_new(state().depot(my_depot_index()), owner);
}

Pool* Heap::pool_new(Depot& home, std::uint32_t owner) noexcept {
  Depot::Opening opening = home.open();
  if (opening.block == nullptr) {
    home.source().reclaim();
    opening = home.open();
  }
  if (opening.block == nullptr) return nullptr;
  return ::new (opening.block) Pool(home, owner, opening.chunk);
}

void Heap::pool_free(Pool* pool) noexcept { pool->close(); }

Pages& Heap::pages() noexcept { return *state().source; }

Extent Heap::set_aside(std::uint32_t count) noexcept { return state().source->set_aside(count); }

bool Heap::make_usable(Extent pages) noexcept { return state().source->make_usable(pages); }

void Heap::reclaim() noexcept {
  for (std::uint32_t i = 0; i < kDepotCount; ++i) state().depot(i).trim();
}

void Heap::trim(std::uint64_t now_ns) noexcept { state().source->trim(now_ns); }

std::uint32_t Heap::owner_of_huge(std::uint64_t granule) noexcept {
  const auto page = static_cast<std::uint32_t>(granule / kPageGranules);
  const std::uint32_t first = page_at(page).huge_first.load(relaxed);
  return first == kNone ? kNoOwner : ~slab_at(first * kPageSlabs).owner_code.load(relaxed);
}

Range Heap::find_object(const void* inside) noexcept {
  const std::uint64_t granule = heap_offset(inside) / kGranuleBytes;
  if (granule >= described_granules.load(relaxed)) return {};
  const auto page = static_cast<std::uint32_t>(granule / kPageGranules);
  const std::uint32_t huge = page_at(page).huge_first.load(relaxed);
  const Slab& slab = huge != kNone ? slab_at(huge * kPageSlabs) : slab_of(granule);
  if (slab.owner_code.load(relaxed) == 0) return {};
  const std::uint64_t granules = slab.granules.load(relaxed);
  const std::uint64_t span_start = slab.first_offset.load(relaxed) * (kSlabGranules / sizeof(Slab));
  const std::uint64_t offset = granule - span_start;
  const bool shared = granules <= kSharedGranulesMax;
  const std::uint64_t slot = shared ? divide(offset, slab.inverse.load(relaxed)).slot() : 0;
  const std::uint64_t all = slab_of(span_start).live.load(relaxed);
  const bool live = shared ? (all >> slot & 1) != 0 : all != 0;
  if (!live || offset >= (slot + 1) * granules) return {};
  return {granule_address(span_start + slot * granules), granules * kGranuleBytes};
}

HeapStats Heap::stats() const noexcept {
  State& it = state();
  HeapStats stats;
  stats.reserved_bytes = it.source->page_count() * kPageBytes;
  stats.page_count = it.source->taken_count();
  stats.committed_bytes = (stats.page_count + it.source->dirty_count()) * kPageBytes;
  for (const Extent pages : it.source->used_extents()) {
    const Extent slabs = slabs_of_pages(pages);
    for (std::uint32_t i = slabs.first; i < slabs.end(); ++i) {
      const Slab& slab = slab_at(i);
      const std::uint64_t live = slab.live.load(relaxed);
      if (live == 0) continue;
      stats.used_bytes += static_cast<std::size_t>(std::popcount(live)) *
                          slab.granules.load(relaxed) * kGranuleBytes;
    }
  }
  for (std::uint32_t i = 0; i < kDepotCount; ++i) {
    stats.pool_count += it.depot(i).pool_count();
    stats.closed_extents += it.depot(i).closed_extents();
  }
  return stats;
}

}  // namespace myr::mem
