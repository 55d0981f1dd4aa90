// SPDX-License-Identifier: Apache-2.0
#include "graph/region_history.hpp"

#include <algorithm>
#include <bit>

namespace myr::graph {

namespace {
constexpr std::size_t kHistorySlotsLeast = 8;
constexpr std::size_t kHistoryKept = 8;  // times what was in use
}  // namespace

// The slot that holds the region's entry, or the free one where it belongs.
RegionHistory::Index RegionHistory::slot_of(deps::RegionIndex region) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = (region * 0x9E3779B97F4A7C15ULL >> 32) & mask;
  while (slots_[slot] != kNone && entries_[slots_[slot]].region != region) slot = (slot + 1) & mask;
  return static_cast<Index>(slot);
}

RegionHistory::Index RegionHistory::find(const deps::RegionTree& tree,
                                         deps::RegionIndex region) const noexcept {
  if (slots_.empty()) return kNone;
  const Index index = slots_[slot_of(region)];
  if (index == kNone || entries_[index].generation != tree.generation(region)) return kNone;
  return index;
}

RegionHistory::Index RegionHistory::at_slow(const deps::RegionTree& tree, deps::RegionIndex region,
                                            deps::RegionIndex top) {
  Index below = kNone;
  Index wanted = kNone;
  for (deps::RegionIndex current = region;; current = tree.parent(current)) {
    Index index = slots_.empty() ? kNone : slots_[slot_of(current)];
    if (index == kNone) {
      index = make(current);
    } else if (entries_[index].generation != tree.generation(current)) {
      unlink(index);
      detach_children(index);
      forget_tasks(entries_[index]);
    }
    entries_[index].generation = tree.generation(current);
    if (wanted == kNone) wanted = index;
    if (below != kNone) link(below, index);
    if (entries_[index].linked) return wanted;
    if (current == top) {
      entries_[index].linked = true;
      return wanted;
    }
    below = index;
  }
}

RegionHistory::Index RegionHistory::alone(const deps::RegionTree& tree, deps::RegionIndex region) {
  if (last_ != kNone && entries_[last_].region == region &&
      entries_[last_].generation == tree.generation(region)) {
    return last_;
  }
  last_ = slots_.empty() ? kNone : slots_[slot_of(region)];
  if (last_ == kNone) last_ = make(region);
  Entry& entry = entries_[last_];
  if (entry.generation != tree.generation(region)) forget_tasks(entry);
  entry.generation = tree.generation(region);
  return last_;
}

bool RegionHistory::has_linked_above(const deps::RegionTree& tree,
                                     deps::RegionIndex region) const noexcept {
  while (region != deps::kRootRegion) {
    region = tree.parent(region);
    const Index index = find(tree, region);
    if (index != kNone && entries_[index].linked) return true;
  }
  return false;
}

RegionHistory::Index RegionHistory::make(deps::RegionIndex region) {
  if (2 * (entries_.size() + 1) > slots_.size()) {
    rehash(std::max(kHistorySlotsLeast, 2 * slots_.size()));
  }
  const auto index = static_cast<Index>(entries_.size());
  entries_.emplace_back();
  entries_.back().region = region;
  slots_[slot_of(region)] = index;
  return index;
}

void RegionHistory::rehash(std::size_t slots) {
  slots_.assign(slots, kNone);
  for (Index index = 0; index < entries_.size(); ++index) {
    slots_[slot_of(entries_[index].region)] = index;
  }
}

void RegionHistory::link(Index index, Index parent) noexcept {
  Entry& entry = entries_[index];
  entry.parent = parent;
  entry.previous_sibling = kNone;
  entry.next_sibling = entries_[parent].first_child;
  if (entry.next_sibling != kNone) entries_[entry.next_sibling].previous_sibling = index;
  entries_[parent].first_child = index;
  entry.linked = true;
}

void RegionHistory::unlink(Index index) noexcept {
  Entry& entry = entries_[index];
  if (entry.previous_sibling != kNone) {
    entries_[entry.previous_sibling].next_sibling = entry.next_sibling;
  } else if (entry.parent != kNone) {
    entries_[entry.parent].first_child = entry.next_sibling;
  }
  if (entry.next_sibling != kNone) {
    entries_[entry.next_sibling].previous_sibling = entry.previous_sibling;
  }
  entry.parent = entry.next_sibling = entry.previous_sibling = kNone;
  entry.linked = false;
}

// Lets go of everything below an entry, the innermost first: an entry keeps its links until nothing
// is left below it.
void RegionHistory::detach_children(Index top) noexcept {
  Index index = top;
  for (;;) {
    while (entries_[index].first_child != kNone) index = entries_[index].first_child;
    if (index == top) return;
    Entry& entry = entries_[index];
    const Index above = entry.parent;
    entries_[above].first_child = entry.next_sibling;
    forget_tasks(entry);
    entry.parent = entry.next_sibling = entry.previous_sibling = kNone;
    entry.linked = false;
    index = above;
  }
}

void RegionHistory::forget_tasks(Entry& entry) noexcept {
  entry.users.writer = {};
  entry.users.group.clear();
  entry.below_writers.clear();
  entry.below_readers.clear();
  entry.gathers = false;
}

void RegionHistory::gather(Index top) {
  Entry& whole = entries_[top];
  whole.gathers = true;
  for_subtree(top, [&](const Entry& entry) {
    if (&entry == &whole) return;
    entry.users.for_each([&](bool writes, Group, TaskRef task) { whole.add_below(writes, task); });
    entry.below_writers.for_each([&](TaskRef task) { whole.add_below(true, task); });
    entry.below_readers.for_each([&](TaskRef task) { whole.add_below(false, task); });
  });
}

void RegionHistory::supersede(Index top) {
  forget_tasks(entries_[top]);
  detach_children(top);
}

// Keeps memory for about as many entries as there were, not for the most that there ever were: what
// clear() does would cost by that, too.
void RegionHistory::clear() noexcept {
  const std::size_t slots = std::max(kHistorySlotsLeast, std::bit_ceil(2 * entries_.size()));
  if (slots_.size() > kHistoryKept * slots) {
    slots_ = std::vector<Index>();
    entries_ = std::vector<Entry>();
  } else {
    entries_.clear();
    std::fill(slots_.begin(), slots_.end(), kNone);
  }
  last_ = kNone;
}

std::size_t RegionHistory::bytes() const noexcept {
  return entries_.capacity() * sizeof(Entry) + slots_.capacity() * sizeof(Index);
}

}  // namespace myr::graph
