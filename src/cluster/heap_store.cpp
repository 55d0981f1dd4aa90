// SPDX-License-Identifier: Apache-2.0
#include "cluster/heap_store.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/contract.hpp"
#include "mem/slab_copies.hpp"
#include "proto/ids.hpp"

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
Extent extent_of(PageRun run) {
  return {static_cast<std::uint32_t>(run.first - kFirstPage),
          static_cast<std::uint32_t>(run.count)};
}

static_assert(proto::kRegionSerialBits == 32 + deps::RegionTree::kLifeBits);
deps::RegionIndex index_of(NodeId region) { return static_cast<deps::RegionIndex>(region.value()); }

void* pointer_to(std::uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

HeapStore::HeapStore(std::uint32_t index, graph::RegionSpace& space, bool is_alone)
    : space_(space),
      is_alone_(is_alone),
      depot_(*this, Heap::kDepotCount + index, sizeof(mem::Pool)) {
  MYR_ASSERT(index < kCountMax);
}

PageRun HeapStore::take_memory(std::uint32_t page_count) {
  return run_of(Heap::set_aside(page_count));
}

bool HeapStore::make_usable(PageRun memory) { return Heap::make_usable(extent_of(memory)); }

// The id of a region is that by which layer `graph` finds it: the same on all agents.
std::optional<std::uint64_t> HeapStore::new_serial(proto::AgentId owner, NodeId parent) {
  const bool is_root = owner_ == proto::kNoAgent && owner == proto::kTop;
  if (owner_ != owner) owner_ = owner;  // once: other threads come when there are regions
  if (is_root) return 0;
  const bool is_here = !is_alone_ || proto::owner_of_region(parent) == owner;
  const deps::RegionIndex around = is_here ? index_of(parent) : deps::kRootRegion;
  const deps::RegionIndex index = space_.add_owned(around, owner);
  if (index == deps::kNoRegion) return {};
  return space_.tree().id_of(index) - proto::make_region_id(owner, 0).value();
}

bool HeapStore::open(NodeId region) {
  const std::scoped_lock lock(lock_);
  settle();
  mem::Pool* const pool = Heap::pool_new(depot_, index_of(region));
  if (pool == nullptr) {
    space_.remove_owned(index_of(region));
    return false;
  }
  pools_.try_emplace(region.bits, pool);
  return true;
}

void HeapStore::close(NodeId region) {
  const std::scoped_lock lock(lock_);
  settle();
  pools_.at(region.bits)->close();
  pools_.erase(region.bits);
  space_.remove_owned(index_of(region));
}

std::vector<std::uint64_t> HeapStore::allocate(NodeId region, std::uint64_t bytes,
                                               std::uint64_t count) {
  const std::scoped_lock lock(lock_);
  settle();
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
  const std::scoped_lock lock(lock_);
  settle();
  mem::Pool* const pool = pool_of(pointer_to(object));
  if (pool == nullptr) return;  // it goes with its region, which a worker is freeing
  MYR_ASSERT(pool->free(pointer_to(object)) == mem::FreeResult::Ok);
}

void HeapStore::trim() {
  const std::scoped_lock lock(lock_);
  settle();
  pools_.for_each([](std::uint64_t, mem::Pool* pool) { pool->trim(); });
  depot_.trim();
}

std::optional<NodeId> HeapStore::region_of(std::uint64_t object) const {
  const Heap::Whole whole = Heap::object_at(pointer_to(object));
  if (whole.bytes == 0) return {};
  const myr_region id = space_.tree().id_of(whole.owner);
  const NodeId region = NodeId::region(id);
  if (proto::owner_of_region(region) != owner_ || !deps::RegionTree::is_of_live(id)) return {};
  return region;
}

std::optional<std::uint64_t> HeapStore::start_of(std::uint64_t address) const {
  if (!is_alone_) return {};
  const mem::Range object = Heap::find_object(pointer_to(address));
  const auto start = reinterpret_cast<std::uintptr_t>(object.first);
  if (object.first == nullptr || start == address || !region_of(start)) return {};
  return start;
}

std::vector<std::byte> HeapStore::describe(std::uint64_t address) const {
  const std::vector<mem::SlabCopy> copies = mem::copy_slabs(pointer_to(address));
  const auto bytes = std::as_bytes(std::span(copies));
  return {bytes.begin(), bytes.end()};
}

std::vector<mem::PoolPart> HeapStore::hand_over(NodeId region, std::vector<std::byte>& memory) {
  const std::scoped_lock lock(lock_);
  std::vector<mem::PoolPart> parts = pools_.at(region.bits)->leave();
  pools_.erase(region.bits);
  const std::uint64_t count = parts.size();
  const auto head = std::as_bytes(std::span(&count, 1));
  const auto bytes = std::as_bytes(std::span(parts));
  memory.insert(memory.end(), head.begin(), head.end());
  memory.insert(memory.end(), bytes.begin(), bytes.end());
  return parts;
}

void HeapStore::take_over(const proto::MadeRegion& region, std::span<const std::byte>& memory) {
  const std::scoped_lock lock(lock_);
  std::uint64_t count = 0;
  std::memcpy(&count, memory.data(), sizeof count);
  memory = memory.subspan(sizeof count);
  std::vector<mem::PoolPart> parts(count);
  std::memcpy(parts.data(), memory.data(), count * sizeof(mem::PoolPart));
  memory = memory.subspan(count * sizeof(mem::PoolPart));
  space_.add_known(region.region.value(), region.parent.value());
  pools_.try_emplace(region.region.bits, mem::Pool::come(depot_, index_of(region.region), parts));
}

mem::Pool* HeapStore::pool_of(void* object) const {
  const std::optional<NodeId> region = region_of(reinterpret_cast<std::uintptr_t>(object));
  if (!region) return nullptr;
  mem::Pool* const* const pool = pools_.find(region->bits);
  return pool == nullptr ? nullptr : *pool;
}

ByteRange HeapStore::range_of(std::uint64_t object) const {
  return {.address = object, .bytes = Heap::object_bytes(pointer_to(object))};
}

std::vector<ByteRange> HeapStore::pack(NodeId region) const {
  const std::scoped_lock lock(lock_);
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

bool HeapStore::allocate_here(NodeId region, std::size_t bytes, std::size_t count, void** objects) {
  const std::scoped_lock lock(lock_);
  mem::Pool* const* const pool = pools_.find(region.bits);
  if (pool == nullptr) return false;
  is_scheduler_away_ = true;
  const bool is_made = (*pool)->alloc_many(bytes, count, objects);
  is_scheduler_away_ = false;
  return is_made;
}

bool HeapStore::free_here(void* object) {
  const std::scoped_lock lock(lock_);
  mem::Pool* const pool = pool_of(object);
  if (pool == nullptr) return false;
  is_scheduler_away_ = true;
  const mem::FreeResult result = pool->free(object);
  is_scheduler_away_ = false;
  return result == mem::FreeResult::Ok;
}

void HeapStore::settle() {
  for (const Extent pages : left_) supply_->give(run_of(pages));
  left_.clear();
}

Extent HeapStore::take(std::uint32_t count) noexcept {
  if (is_scheduler_away_) return {};
  const std::optional<PageRun> run = supply_->take(count);
  if (!run) return {};
  const Extent pages = extent_of({.first = run->first, .count = count});
  if (Heap::make_usable(pages)) return pages;
  supply_->give(*run);
  return {};
}

void HeapStore::give(Extent pages) noexcept {
  if (is_scheduler_away_) {
    left_.push_back(pages);
  } else {
    supply_->give(run_of(pages));
  }
}

}  // namespace myr::cluster
