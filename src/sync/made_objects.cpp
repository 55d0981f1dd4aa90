// SPDX-License-Identifier: Apache-2.0
#include "sync/made_objects.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace myr::sync {

namespace {

struct Made {
  std::size_t count;
  myr_destructor destroy;
  myr_region region;
  std::uint64_t order;  // in which they were added
  base::SerialPlace place;
};

// A region with such objects in it, at any depth.
struct RegionOfMade {
  std::unordered_set<myr_region> inside;
  std::map<std::uint64_t, void*> objects;  // by their order
};

struct MadeTable {
  std::mutex lock;  // guards the rest
  std::unordered_map<void*, Made> objects;
  std::unordered_map<myr_region, RegionOfMade> regions;  // but the root
  std::uint64_t added = 0;
};

// Never destroyed: static objects may free regions when the process ends.
MadeTable*& made_table_place() {
  static auto* table = new MadeTable;
  return table;
}
MadeTable& made_table() { return *made_table_place(); }

// Nobody destroys it but the caller.
std::optional<Made> take_made_locked(MadeTable& table, void* first) {
  const auto found = table.objects.find(first);
  if (found == table.objects.end()) return {};
  Made made = std::move(found->second);
  table.objects.erase(found);
  const auto region = table.regions.find(made.region);
  if (region != table.regions.end()) region->second.objects.erase(made.order);
  return made;
}

// Objects that one root has made are put in serial order, among those that others have made in
// between.
std::vector<void*> in_serial_order_locked(const MadeTable& table,
                                          const std::map<std::uint64_t, void*>& added) {
  struct Step {
    const base::SerialPlace* place;
    void* object;
  };
  std::unordered_map<const void*, std::deque<Step>> by_root;
  for (const auto& [order, object] : added) {
    const base::SerialPlace& place = table.objects.at(object).place;
    by_root[place.root].push_back({&place, object});
  }
  for (auto& [root, steps] : by_root) {
    std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
      return a.place->counts < b.place->counts;
    });
  }
  std::vector<void*> sorted;
  for (const auto& [order, object] : added) {
    std::deque<Step>& steps = by_root[table.objects.at(object).place.root];
    sorted.push_back(steps.front().object);
    steps.pop_front();
  }
  return sorted;
}

// The regions are as good as freed.
std::vector<void*> take_all_in_locked(MadeTable& table, myr_region region) {
  std::map<std::uint64_t, void*> found;
  std::vector<myr_region> left{region};
  while (!left.empty()) {
    const auto next = table.regions.find(left.back());
    left.pop_back();
    if (next == table.regions.end()) continue;
    left.insert(left.end(), next->second.inside.begin(), next->second.inside.end());
    found.merge(next->second.objects);
    table.regions.erase(next);
  }
  return in_serial_order_locked(table, found);
}

}  // namespace

bool MadeObjects::knows(myr_region region) {
  MadeTable& table = made_table();
  const std::scoped_lock lock(table.lock);
  return table.regions.contains(region);
}

void MadeObjects::add(void* first, std::size_t count, myr_destructor destroy,
                      std::span<const myr_region> path, base::SerialPlace place) {
  MadeTable& table = made_table();
  const std::scoped_lock lock(table.lock);
  static_cast<void>(take_made_locked(table, first));  // whose memory was freed untold
  const std::uint64_t order = table.added++;
  table.objects.emplace(first, Made{count, destroy, path.front(), order, std::move(place)});
  for (std::size_t i = 0; i < path.size() && path[i] != MYR_ROOT; ++i) {
    RegionOfMade& region = table.regions[path[i]];
    if (i == 0) region.objects.emplace(order, first);
    if (i != 0) region.inside.insert(path[i - 1]);
  }
  count_.store(table.objects.size(), relaxed);
}

void MadeObjects::remove(void* first) {
  MadeTable& table = made_table();
  const std::scoped_lock lock(table.lock);
  static_cast<void>(take_made_locked(table, first));
  count_.store(table.objects.size(), relaxed);
}

bool MadeObjects::destroy(void* first) {
  MadeTable& table = made_table();
  std::unique_lock lock(table.lock);
  const std::optional<Made> made = take_made_locked(table, first);
  count_.store(table.objects.size(), relaxed);
  lock.unlock();
  if (made) made->destroy(first, made->count);
  return made.has_value();
}

void MadeObjects::destroy_all_in(myr_region region) {
  MadeTable& table = made_table();
  std::unique_lock lock(table.lock);
  const std::vector<void*> found = take_all_in_locked(table, region);
  lock.unlock();
  for (auto last = found.rbegin(); last != found.rend(); ++last) {
    static_cast<void>(destroy(*last));  // unless another one has done so
  }
}

void MadeObjects::clear() {
  MadeTable& table = made_table();
  const std::scoped_lock lock(table.lock);
  table.objects.clear();
  table.regions.clear();
  count_.store(0, relaxed);
}

void MadeObjects::forget() {
  made_table_place() = new MadeTable;
  count_.store(0, relaxed);
}

}  // namespace myr::sync
