// SPDX-License-Identifier: Apache-2.0
#include "cluster/heap_store.hpp"

#include <algorithm>
#include <array>

#include "base/contract.hpp"
#include "sync/atomic.hpp"

namespace myr::cluster {

using mem::Extent;
using mem::Heap;
using proto::NodeId;
using proto::PageRun;
using sched::ByteRange;

namespace {

static_assert(proto::kPageBytes == mem::kPageBytes);
// The heap numbers its pages from its base, schedulers from address 0.
constexpr std::uint64_t kFirstPage = mem::kHeapBase / mem::kPageBytes;

constexpr std::size_t kBatch = 256;  // objects made by one call, so that "all" may be any number

PageRun run_of(Extent pages) { return {.first = kFirstPage + pages.first, .count = pages.count}; }

// Differs between all pools of the process that live at once; and from kNoOwner, until 2^32 - 1
// regions have been made.
std::uint32_t next_owner() {
  static sync::Atomic<std::uint32_t> next{0};
  return next.fetch_add(1, sync::relaxed);
}

void* pointer_to(std::uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

HeapStore::HeapStore(std::uint32_t index)
    : depot_(*this, Heap::kDepotCount + index, sizeof(mem::Pool)) {
  MYR_ASSERT(index < kCountMax);
}

PageRun HeapStore::take_memory(std::uint32_t page_count) {
  for (; page_count != 0; page_count /= 2) {
    const Extent pages = Heap::pages().take(page_count);
    if (pages) return run_of(pages);
  }
  return {};
}

bool HeapStore::open(NodeId region) {
  const std::uint32_t owner = next_owner();
  mem::Pool* const pool = Heap::pool_new(depot_, owner);
  if (pool == nullptr) return false;
  pools_.try_emplace(region.bits, pool);
  regions_.try_emplace(owner, region);
  return true;
}

void HeapStore::close(NodeId region) {
  mem::Pool* const pool = pools_.at(region.bits);
  regions_.erase(pool->owner());
  pool->close();
  pools_.erase(region.bits);
}

std::vector<std::uint64_t> HeapStore::allocate(NodeId region, std::uint64_t bytes,
                                               std::uint64_t count) {
  mem::Pool& pool = *pools_.at(region.bits);
  std::vector<std::uint64_t> addresses;
  std::array<void*, kBatch> objects;
  while (addresses.size() < count) {
    const std::size_t batch = std::min<std::uint64_t>(count - addresses.size(), kBatch);
    if (!pool.alloc_many(bytes, batch, objects.data())) {
      for (const std::uint64_t address : addresses) pool.free(pointer_to(address));
      return {};
    }
    for (std::size_t i = 0; i < batch; ++i) {
      addresses.push_back(reinterpret_cast<std::uintptr_t>(objects[i]));
    }
  }
  return addresses;
}

void HeapStore::free(std::uint64_t object) {
  const mem::FreeResult result = pools_.at(region_of(object)->bits)->free(pointer_to(object));
  MYR_ASSERT(result == mem::FreeResult::Ok);
}

void HeapStore::trim() {
  pools_.for_each([](std::uint64_t, mem::Pool* pool) { pool->trim(); });
  depot_.trim();
}

std::optional<NodeId> HeapStore::region_of(std::uint64_t object) const {
  const Heap::Whole whole = Heap::object_at(pointer_to(object));
  if (whole.bytes == 0) return {};
  const NodeId* const region = regions_.find(whole.owner);
  if (region == nullptr) return {};
  return *region;
}

ByteRange HeapStore::range_of(std::uint64_t object) const {
  return {.address = object, .bytes = Heap::object_bytes(pointer_to(object))};
}

std::vector<ByteRange> HeapStore::pack(NodeId region) const {
  std::vector<mem::Range> ranges;
  pools_.at(region.bits)->pack(ranges);
  std::vector<ByteRange> packed;
  packed.reserve(ranges.size());
  for (const mem::Range& range : ranges) {
    packed.push_back(
        {.address = reinterpret_cast<std::uintptr_t>(range.first), .bytes = range.bytes});
  }
  return packed;
}

Extent HeapStore::take(std::uint32_t count) noexcept {
  const std::optional<PageRun> run = supply_->take(count);
  if (!run) return {};
  return {static_cast<std::uint32_t>(run->first - kFirstPage), count};
}

void HeapStore::give(Extent pages) noexcept { supply_->give(run_of(pages)); }

}  // namespace myr::cluster
