// SPDX-License-Identifier: Apache-2.0
//
// Domain: what the children of one task have touched so far, in spawn order. Entering an access tells which
// earlier children it must wait for. One task's children, one domain: the children of a child are in its
// own, and whoever waits for the child looks there once its body has ended (see link.hpp).
//
// Threads: enter() and clear() by the thread that runs the owner of the domain. After the owner has ended
// nobody writes, and conflicts() may be called by any thread.
#pragma once

#include <cstdint>

#include "deps/region_tree.hpp"
#include "graph/cell_table.hpp"
#include "graph/range_map.hpp"
#include "graph/region_ledger.hpp"
#include "graph/target.hpp"

namespace myr::graph {

class Domain {
 public:
  // Notes that `self` uses `target`, and calls on_conflict(TaskRef) for the earlier tasks that it must wait
  // for; none, complete and repeated references may be among them. `top`: the highest region around the
  // target that the owner of the domain holds, or kNoRegion.
  template <class OnConflict>
  void enter(const deps::RegionTree& tree, const Target& target, deps::RegionIndex top,
             TaskRef self, OnConflict&& on_conflict) {
    if (target.kind == TargetKind::Region) {
      enter_region(tree, target, top, self, on_conflict);
      return;
    }
    if (target.region != deps::kNoRegion && top != deps::kNoRegion) {
      enter_below(ledger_.at(tree, target.region, top), target.writes, self, on_conflict);
    }
    if (target.kind == TargetKind::Object) {
      enter_object(target, self, on_conflict);
    } else if (target.region == deps::kNoRegion) {
      foreign_.enter(target.begin, target.end, target.writes, self, on_conflict);
    } else {
      if (const Cell* cell = objects_.find(target.object)) {
        visit_cell(*cell, target.writes, on_conflict);
      }
      parts_.enter(target.begin, target.end, target.writes, self, on_conflict);
    }
  }

  // The conflicts that enter() would report, without noting anything.
  template <class OnConflict>
  void conflicts(const deps::RegionTree& tree, const Target& target,
                 OnConflict&& on_conflict) const {
    if (target.region != deps::kNoRegion && !ledger_.empty()) {
      visit_regions(tree, target, on_conflict);
    }
    if (target.kind == TargetKind::Region) return;
    const RangeMap& ranges = target.region == deps::kNoRegion ? foreign_ : parts_;
    visit_ranges(ranges, target, on_conflict);
    if (target.region == deps::kNoRegion) return;
    const std::uint64_t object = target.kind == TargetKind::Object ? target.begin : target.object;
    if (const Cell* cell = objects_.find(object)) visit_cell(*cell, target.writes, on_conflict);
  }

  // Is a task alive that was given the region, or one around it, for writing?
  [[nodiscard]] bool has_region_writer(const deps::RegionTree& tree,
                                       deps::RegionIndex region) const noexcept {
    if (ledger_.empty()) return false;
    for (;; region = tree.parent(region)) {
      const RegionLedger::Index index = ledger_.find(tree, region);
      if (index != RegionLedger::kNone) {
        const TaskRef writer = ledger_.entry(index).writer;
        if (writer && !TaskArena::is_complete(writer)) return true;
      }
      if (region == deps::kRootRegion) return false;
    }
  }

  // Forgets everything: all tasks entered are complete. Cost: O(1) for objects.
  void clear() noexcept {
    objects_.clear();
    parts_.clear();
    foreign_.clear();
    ledger_.clear();
  }
  // clear(), and gives back what a domain kept for reuse need not hold.
  void trim() {
    clear();
    objects_.trim(kBlocksKept);
  }

 private:
  static constexpr std::size_t kBlocksKept = 16;

  template <class OnConflict>
  static void visit_cell(const Cell& cell, bool writes, OnConflict& on_conflict) {
    on_conflict(cell.writer);
    if (writes) cell.readers.for_each(on_conflict);
  }
  template <class OnConflict>
  static void visit_ranges(const RangeMap& ranges, const Target& target, OnConflict& on_conflict) {
    if (ranges.empty()) return;
    ranges.visit(target.begin, target.end, [&](const Fragment& piece) {
      on_conflict(piece.writer);
      if (target.writes) piece.readers.for_each(on_conflict);
    });
  }
  template <class OnConflict>
  static void visit_entry(const RegionLedger::Entry& entry, bool writes, OnConflict& on_conflict) {
    on_conflict(entry.writer);
    if (writes) entry.readers.for_each(on_conflict);
  }
  template <class OnConflict>
  static void visit_inside(const RegionLedger::Entry& entry, bool writes, OnConflict& on_conflict) {
    visit_entry(entry, writes, on_conflict);
    entry.below_writers.for_each(on_conflict);
    if (writes) entry.below_readers.for_each(on_conflict);
  }

  template <class OnConflict>
  void enter_object(const Target& target, TaskRef self, OnConflict& on_conflict) {
    Cell& cell = objects_.at(target.begin);
    if (MYR_UNLIKELY(!cell.is_untouched())) visit_cell(cell, target.writes, on_conflict);
    if (MYR_UNLIKELY(!parts_.empty())) visit_ranges(parts_, target, on_conflict);
    if (target.writes) {
      cell.readers.clear();
      cell.writer = self;
    } else {
      cell.readers.add(self);
    }
  }

  // An access to something directly in the region of `index`.
  template <class OnConflict>
  void enter_below(RegionLedger::Index index, bool writes, TaskRef self, OnConflict& on_conflict) {
    RegionLedger::Entry& region = ledger_.entry(index);
    for (const RegionLedger::Entry* entry = &region;;) {
      if (MYR_UNLIKELY(entry->writer || !entry->readers.empty())) {
        visit_entry(*entry, writes, on_conflict);
      }
      if (entry->parent == RegionLedger::kNone) break;
      entry = &ledger_.entry(entry->parent);
    }
    (writes ? region.below_writers : region.below_readers).add(self);
  }

  template <class OnConflict>
  void enter_region(const deps::RegionTree& tree, const Target& target, deps::RegionIndex top,
                    TaskRef self, OnConflict& on_conflict) {
    const RegionLedger::Index index = ledger_.at(tree, target.region, top);
    for (RegionLedger::Index above = ledger_.entry(index).parent; above != RegionLedger::kNone;
         above = ledger_.entry(above).parent) {
      visit_entry(ledger_.entry(above), target.writes, on_conflict);
    }
    ledger_.for_subtree(index, [&](const RegionLedger::Entry& entry) {
      visit_inside(entry, target.writes, on_conflict);
    });
    if (target.writes) {
      ledger_.supersede(index);
      ledger_.entry(index).writer = self;
    } else {
      ledger_.entry(index).readers.add(self);
    }
  }

  template <class OnConflict>
  void visit_regions(const deps::RegionTree& tree, const Target& target,
                     OnConflict& on_conflict) const {
    deps::RegionIndex region = target.region;
    if (target.kind == TargetKind::Region) {
      const RegionLedger::Index index = ledger_.find(tree, region);
      if (index != RegionLedger::kNone) {
        ledger_.for_subtree(index, [&](const RegionLedger::Entry& entry) {
          visit_inside(entry, target.writes, on_conflict);
        });
      }
      if (region == deps::kRootRegion) return;
      region = tree.parent(region);
    }
    for (;; region = tree.parent(region)) {
      const RegionLedger::Index index = ledger_.find(tree, region);
      if (index != RegionLedger::kNone) {
        visit_entry(ledger_.entry(index), target.writes, on_conflict);
      }
      if (region == deps::kRootRegion) return;
    }
  }

  RegionLedger ledger_;
  CellTable objects_;
  RangeMap parts_;    // of heap objects
  RangeMap foreign_;  // memory that is not Myrmidon's
};

}  // namespace myr::graph
