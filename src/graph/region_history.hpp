// SPDX-License-Identifier: Apache-2.0
//
// RegionHistory: for each region that a domain's tasks touched, the last users of the whole region,
// and the tasks that used something directly in it since. Entries form the same tree as their
// regions, up to the region that the domain's owner holds, so that a task on a region finds
// everything below it.
//
// Threads: one writer; find() and the visits by any thread while nobody writes.
// Invariants
//   1. A linked entry's ancestors are linked, up to the domain's top region. One that is not linked
//      notes no task, unless it stands alone: the domain's owner holds objects of that region, but
//      no region around.
//   2. An entry whose generation is not its region's is of a freed region: it is reset when met.
#pragma once

#include <cstdint>
#include <vector>

#include "deps/region_tree.hpp"
#include "graph/users.hpp"

namespace myr::graph {

class RegionHistory {
 public:
  using Index = std::uint32_t;
  static constexpr Index kNone = 0xffffffff;

  // How a domain notes the users of the objects of a region: one by one, or as stretches of objects
  // that lie side by side.
  enum class Noting : std::uint8_t { Undecided, Objects, Stretches };

  struct Entry {
    deps::RegionIndex region = deps::kNoRegion;
    std::uint32_t generation = 0;
    Index parent = kNone;
    Index first_child = kNone;
    Index next_sibling = kNone;
    Index previous_sibling = kNone;
    bool linked = false;  // in its parent's list, or the top
    Noting noting = Noting::Undecided;
    bool gathers = false;
    // Stretches: falls with each that is short. When it is negative, objects are noted one by one.
    std::int32_t stretches_pay = 0;
    Users users;  // of the whole region
    // Users of objects and ranges directly in it, since the writer; if it gathers, of all inside.
    RefSet below_writers;
    RefSet below_readers;

    void add_below(bool writes, TaskRef task) {
      (writes ? below_writers : below_readers).add(task);
    }
  };

  // The entry of a region; it and those of its ancestors up to `top` are made if need be.
  [[nodiscard]] Index at(const deps::RegionTree& tree, deps::RegionIndex region,
                         deps::RegionIndex top) {
    if (MYR_LIKELY(last_ != kNone)) {
      const Entry& entry = entries_[last_];
      if (entry.region == region && entry.linked && entry.generation == tree.generation(region)) {
        return last_;
      }
    }
    return last_ = at_slow(tree, region, top);
  }
  // The entry, standing alone, of a region in which the domain's owner holds objects only.
  [[nodiscard]] Index alone(const deps::RegionTree& tree, deps::RegionIndex region);
  [[nodiscard]] Index find(const deps::RegionTree& tree, deps::RegionIndex region) const noexcept;

  [[nodiscard]] Entry& entry(Index index) noexcept { return entries_[index]; }
  [[nodiscard]] const Entry& entry(Index index) const noexcept { return entries_[index]; }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

  // Calls visit(const Entry&) for the entry and everything below it. By a loop, as regions may lie
  // inside each other more deeply than a stack has room for.
  template <class Visit>
  void for_subtree(Index top, Visit&& visit) const {
    Index index = top;
    for (;;) {
      visit(entries_[index]);
      if (entries_[index].first_child != kNone) {
        index = entries_[index].first_child;
        continue;
      }
      while (index != top && entries_[index].next_sibling == kNone) index = entries_[index].parent;
      if (index == top) return;
      index = entries_[index].next_sibling;
    }
  }
  // Calls visit(const Entry&) for the region's entry and all those of regions inside it, which may
  // have no entry above them: the region may enclose what the domain's owner holds.
  template <class Visit>
  void for_inside(const deps::RegionTree& tree, deps::RegionIndex region, Visit&& visit) const {
    if (const Index index = find(tree, region); index != kNone && entries_[index].linked) {
      for_subtree(index, visit);
      return;
    }
    if (has_linked_above(tree, region)) return;
    for (const Entry& entry : entries_) {
      if (entry.generation != tree.generation(entry.region)) continue;
      if (tree.encloses(region, entry.region)) visit(entry);
    }
  }
  // Is more noted than a group of that kind on the whole region and what it waits for?
  [[nodiscard]] bool has_others(Index index, Group group) const noexcept {
    const Entry& entry = entries_[index];
    if (entry.first_child != kNone) return true;
    if (!entry.below_writers.empty() || !entry.below_readers.empty()) return true;
    return !entry.users.group.empty() && entry.users.group.group() != group;
  }
  // From now on, until the region is written, its entry knows of all that use anything inside.
  // REQUIRES: the whole region is used, so a task that comes later to something inside looks at it.
  void gather(Index top);
  // Forgets all tasks noted in the entry and below, and unlinks what is below: a task that writes
  // the whole region supersedes them. Cost: paid for by the links that it undoes.
  void supersede(Index top);

  // Cost: as many steps as there are entries.
  void clear() noexcept;
  // For tests: memory held.
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  [[nodiscard]] Index at_slow(const deps::RegionTree& tree, deps::RegionIndex region,
                              deps::RegionIndex top);
  [[nodiscard]] bool has_linked_above(const deps::RegionTree& tree,
                                      deps::RegionIndex region) const noexcept;
  [[nodiscard]] Index slot_of(deps::RegionIndex region) const noexcept;
  Index make(deps::RegionIndex region);
  void link(Index index, Index parent) noexcept;
  void unlink(Index index) noexcept;
  void detach_children(Index top) noexcept;
  static void forget_tasks(Entry& entry) noexcept;
  void rehash(std::size_t slots);

  std::vector<Entry> entries_;
  std::vector<Index> slots_;  // open addressing by region, at most half full; kNone: free
  Index last_ = kNone;
};

}  // namespace myr::graph
