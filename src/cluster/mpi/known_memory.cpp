// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/known_memory.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/bits.hpp"
#include "mem/heap.hpp"
#include "mem/slab_copies.hpp"

namespace myr::cluster::mpi {

namespace {

std::uint32_t slab_of(std::uint64_t address) noexcept {
  return static_cast<std::uint32_t>((address - mem::kHeapBase) / mem::kSlabBytes);
}

}  // namespace

void KnownMemory::count(const Range& range, bool holds) {
  if (range.bytes == 0) return;
  const auto cut = [this](std::uint32_t at) {
    const auto next = holders_.upper_bound(at);
    const unsigned before = next == holders_.begin() ? 0 : std::prev(next)->second;
    return holders_.emplace(at, before).first;
  };
  const auto from = cut(slab_of(range.address));
  const auto to = cut(slab_of(range.address + range.bytes - 1) + 1);
  for (auto step = from; step != to; ++step) {
    step->second += holds ? 1U : -1U;
    if (step->second == 0) forget(step->first, std::next(step)->first);
  }
  const std::uint32_t end = to->first;  // neighbours that say the same become one
  for (auto step = from; step != holders_.end() && step->first <= end;) {
    const unsigned before = step == holders_.begin() ? 0 : std::prev(step)->second;
    step = step->second == before ? holders_.erase(step) : std::next(step);
  }
}

void KnownMemory::forget(std::uint32_t first, std::uint32_t end) {
  const auto from = known_.lower_bound(first);
  const auto to = known_.lower_bound(end);
  std::for_each(from, to, [](std::uint32_t slab) { mem::leave_slab(slab); });
  known_.erase(from, to);
}

KnownMemory::Range KnownMemory::learn(std::span<const std::uint64_t> regions,
                                      std::span<const std::byte> slabs) {
  for (std::size_t i = regions.size(); i-- > 1;) space_.add_known(regions[i - 1], regions[i]);
  std::vector<mem::SlabCopy> copies(slabs.size() / sizeof(mem::SlabCopy));
  std::memcpy(copies.data(), slabs.data(), slabs.size());
  if (copies.empty()) return {};
  for (const mem::SlabCopy& copy : copies) {
    mem::enter_slab(copy);
    known_.insert(copy.slab);
  }
  const std::uint64_t first = mem::kHeapBase + copies.front().slab * mem::kSlabBytes;
  const std::uint64_t bytes =
      copies.front().is_huge != 0
          ? copies.front().granules * mem::kGranuleBytes
          : (copies.back().slab + 1 - copies.front().slab) * mem::kSlabBytes;
  const Range range{first, bytes};
  hold(range);
  return range;
}

namespace {

// What has an entry: each slab of a span, the first of a huge object.
std::uint32_t entry_count(const mem::PoolPart& part) noexcept {
  return part.kind == mem::PoolPart::Kind::Huge ? 1 : part.count;
}

}  // namespace

KnownMemory::Range KnownMemory::keep(const mem::PoolPart& part) {
  for (std::uint32_t i = 0; i < entry_count(part); ++i) known_.insert(part.first + i);
  const Range range{mem::kHeapBase + part.first * mem::kSlabBytes, part.count * mem::kSlabBytes};
  hold(range);
  return range;
}

void KnownMemory::leave(const mem::PoolPart& part) {
  for (std::uint32_t i = 0; i < entry_count(part); ++i) mem::leave_slab(part.first + i);
}

void KnownMemory::forget(proto::PageRun pages) {
  const std::uint32_t first = slab_of(pages.first * mem::kPageBytes);
  forget(first, first + static_cast<std::uint32_t>(pages.count * mem::kPageSlabs));
}

// An empty span may become another region's.
void KnownMemory::object_freed(void* object) {
  if (mem::Heap::object_bytes(object) == 0) return;
  const mem::Extent span = mem::leave_object(object);
  forget(span.first, span.end());
}

void KnownMemory::region_freed(deps::RegionIndex region) {
  space_.bury(region);
  const deps::RegionTree& tree = space_.tree();
  std::erase_if(known_, [&](std::uint32_t slab) {
    const std::uint32_t owner = mem::Heap::owner_of(mem::slab_address(slab));
    if (owner == mem::Heap::kNoOwner || !tree.encloses(region, owner)) return false;
    mem::leave_slab(slab);
    return true;
  });
}

}  // namespace myr::cluster::mpi
