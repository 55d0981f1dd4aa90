// SPDX-License-Identifier: Apache-2.0
#include "cluster/sim/task_memory.hpp"

#include <utility>

#include "mem/heap.hpp"

namespace myr::cluster::sim {

using scc::BurstWalk;
using scc::Extent;
using transport::sim::Cycles;

namespace {

// Nothing for regions, for what the task does not touch, and for what may be gone when it ends.
Extent extent_of(const myr_access& access) {
  constexpr unsigned kNoMemory = MYR_VALUE | MYR_REGION | MYR_NOTRANSFER | MYR_HELD;
  if ((access.flags & kNoMemory) != 0 || access.address == nullptr) return {};
  const auto begin = reinterpret_cast<std::uint64_t>(access.address);
  const bool is_whole = access.bytes == 0 || (access.flags & MYR_WHOLE) != 0;
  const std::size_t bytes = is_whole ? mem::Heap::object_bytes(access.address) : access.bytes;
  return {.begin = begin,
          .end = begin + bytes,
          .writes = (access.flags & MYR_OUT) != 0,
          .reads = (access.flags & MYR_IN) != 0};
}

bool writes_region(const myr_access& access) {
  return (access.flags & MYR_VALUE) == 0 && (access.flags & MYR_REGION) != 0 &&
         (access.flags & MYR_OUT) != 0;
}

}  // namespace

void TaskMemory::begin(const SpreadTask& task, std::span<const myr_access> accesses) {
  Uses& uses = uses_[&task];
  for (const myr_access& access : accesses) {
    const Extent extent = extent_of(access);
    if (extent.begin != extent.end) uses.declared.push_back(extent);
    uses.may_free = uses.may_free || writes_region(access);
  }
  caches_.invalidate();
  caches_.begin(uses.may_free ? std::vector<Extent>() : uses.declared);
}

Cycles TaskMemory::take_work(const SpreadTask& task) {
  return std::exchange(uses_[&task].work, Cycles{0});
}

BurstWalk TaskMemory::end(const SpreadTask& task) {
  const Uses uses = std::move(uses_.extract(&task).mapped());
  if (!uses.is_alone) caches_.begin({});
  const bool goes_through_all = uses.touched.empty() && uses.is_alone;
  std::vector<scc::Burst> bursts;
  for (const Extent& extent : goes_through_all ? uses.declared : uses.touched) {
    const std::uint64_t bytes = extent.end - extent.begin;
    if (extent.reads) caches_.traffic(extent.begin, bytes, false, bursts);
    if (extent.writes) caches_.traffic(extent.begin, bytes, true, bursts);
  }
  caches_.end();
  return BurstWalk(std::move(bursts), uses.work);
}

BurstWalk TaskMemory::flush() {
  std::vector<scc::Burst> bursts;
  caches_.flush_by_reading(scc::own_controller(core_), bursts);
  return BurstWalk(std::move(bursts), 0);
}

}  // namespace myr::cluster::sim
