// SPDX-License-Identifier: Apache-2.0
#include "sync/cancelled_regions.hpp"

#include <mutex>
#include <unordered_set>

#include "sync/fence.hpp"

namespace myr::sync {
namespace {

struct CancelledTable {
  std::mutex lock;
  std::unordered_set<std::uint64_t> regions;  // guarded by `lock`
};

// Never destroyed: tasks of other threads may run while the process ends.
CancelledTable*& cancelled_table_place() {
  static auto* table = new CancelledTable;
  return table;
}

CancelledTable& cancelled_table() { return *cancelled_table_place(); }

}  // namespace

void CancelledRegions::add(std::uint64_t region) {
  CancelledTable& table = cancelled_table();
  {
    const std::scoped_lock lock(table.lock);
    table.regions.insert(region);
    count_.value.store(static_cast<std::uint32_t>(table.regions.size()), relaxed);
  }
  heavy_fence();  // [fence.pair]
}

void CancelledRegions::remove(std::uint64_t region) {
  light_fence();  // [fence.pair]
  if (!has_some()) return;
  CancelledTable& table = cancelled_table();
  const std::scoped_lock lock(table.lock);
  table.regions.erase(region);
  count_.value.store(static_cast<std::uint32_t>(table.regions.size()), relaxed);
}

void CancelledRegions::forget() {
  cancelled_table_place() = new CancelledTable;
  count_.value.store(0, relaxed);
}

void CancelledRegions::clear() {
  CancelledTable& table = cancelled_table();
  const std::scoped_lock lock(table.lock);
  table.regions.clear();
  count_.value.store(0, relaxed);
}

bool CancelledRegions::contains(std::uint64_t region) {
  CancelledTable& table = cancelled_table();
  const std::scoped_lock lock(table.lock);
  return table.regions.contains(region);
}

}  // namespace myr::sync
