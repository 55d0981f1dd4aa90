// SPDX-License-Identifier: Apache-2.0
//
// Domain: what the children of one task have touched so far, in spawn order. Entering an access
// tells which earlier children it must wait for. One task's children, one domain: the children of a
// child are in its own, and whoever waits for the child looks there once its body has ended (see
// linker.hpp).
//
// Threads: enter() and clear() by the thread that runs the owner of the domain. After the owner has
// ended nobody writes, and report_conflicts() may be called by any thread.
#pragma once

#include <cstdint>

#include "deps/region_tree.hpp"
#include "graph/cell_table.hpp"
#include "graph/conflict_sink.hpp"
#include "graph/range_map.hpp"
#include "graph/region_history.hpp"
#include "graph/target.hpp"

namespace myr::graph {

class Domain {
 public:
  // Notes that the sink's task uses `target`, and reports the earlier tasks that it must wait for;
  // complete ones may be among them. `top`: the highest region around the target that the owner of
  // the domain holds, or kNoRegion.
  void enter(const deps::RegionTree& tree, const Target& target, deps::RegionIndex top,
             ConflictSink& sink) {
    if (target.kind == TargetKind::Object) {
      const CellTable::Page page =
          enter_page(tree, target.begin, {target.region, top, target.writes, target.group}, sink);
      enter_in_page(page, target.begin, target.writes, sink, target.group);
      if (MYR_UNLIKELY(!parts_.empty())) report_ranges(parts_, target, sink);
    } else {
      enter_other(tree, target, top, sink);
    }
  }

  // How objects are used: see enter() for `top`.
  struct ObjectUse {
    deps::RegionIndex region;  // that owns them
    deps::RegionIndex top;
    bool writes;
    Group group = Group::None;
  };
  // enter() for whole objects of one page (CellTable::kPageBits) that are used in the same way, if
  // has_parts() is false: first enter_page(), then enter_in_page() for each object.
  [[nodiscard]] CellTable::Page enter_page(const deps::RegionTree& tree, std::uint64_t address,
                                           const ObjectUse& use, ConflictSink& sink) {
    note_region(tree, use, sink);
    return objects_.page(address, !use.writes || use.group != Group::None);
  }
  static void enter_in_page(CellTable::Page page, std::uint64_t address, bool writes,
                            ConflictSink& sink, Group group = Group::None) {
    const auto memory = [&] { return myr_inout(reinterpret_cast<void*>(address)); };
    page.at(address).enter(writes, group, memory, sink);
  }
  // enter() for bytes of an array with blocks: first enter_array(), then enter_noted_blocks() for
  // each of the accesses that use it in the same way.
  void enter_array(const deps::RegionTree& tree, const ObjectUse& use, ConflictSink& sink) {
    note_region(tree, use, sink);
  }
  void enter_noted_blocks(const Target& target, ConflictSink& sink) {
    const bool for_readers = !target.writes || target.group != Group::None;
    for_blocks(target, [&](std::uint64_t name, std::uint64_t first) {
      const auto memory = [&] { return block_access(target, first); };
      objects_.page(name, for_readers).at(name).enter(target.writes, target.group, memory, sink);
    });
  }
  // Were parts of heap objects entered?
  [[nodiscard]] bool has_parts() const noexcept { return !parts_.empty(); }

  // The conflicts that enter() would report, without noting anything or making joins.
  void report_conflicts(const deps::RegionTree& tree, const Target& target,
                        ConflictSink& sink) const;

  // Calls visit(TaskRef) for the tasks that used some of these bytes, which are not Myrmidon's
  // memory.
  template <class Visit>
  void visit_unmanaged_users(std::uint64_t begin, std::uint64_t end, Visit&& visit) const {
    unmanaged_.visit(begin, end, [&](const Users& users) {
      if (users.writer) visit(users.writer);
      users.group.for_each(visit);
    });
  }

  // Is a task alive that was given the region, or one around it, for writing?
  [[nodiscard]] bool has_region_writer(const deps::RegionTree& tree,
                                       deps::RegionIndex region) const noexcept;

  // Forgets everything: all tasks entered are complete. Cost: O(1) for objects.
  void clear() noexcept;
  // clear(), and gives back what a domain kept for reuse need not hold.
  void trim();

 private:
  static constexpr std::size_t kBlocksKept = 16;

  // The last entry into a region's history: one is enough for all the accesses of a task in a
  // region.
  struct Noted {
    TaskRef task;
    deps::RegionIndex region = deps::kNoRegion;
    bool writes = false;
  };

  void note_region(const deps::RegionTree& tree, const ObjectUse& use, ConflictSink& sink) {
    if (noted_.region == use.region && noted_.writes == use.writes && noted_.task == sink.self()) {
      return;
    }
    noted_ = {sink.self(), use.region, use.writes};
    // The owner holds objects of the region, not itself.
    const bool alone = use.top == deps::kNoRegion;
    RegionHistory::Entry& region =
        history_.entry(MYR_UNLIKELY(alone) ? history_.alone(tree, use.region)
                                           : history_.at(tree, use.region, use.top));
    for (RegionHistory::Entry* entry = &region;;) {
      if (MYR_UNLIKELY(!entry->users.is_untouched())) {
        meet_entry(tree, *entry, use.writes, sink);
      }
      if (entry->parent == RegionHistory::kNone) break;
      entry = &history_.entry(entry->parent);
    }
    (use.writes ? region.below_writers : region.below_readers).add(sink.self());
  }

  void enter_other(const deps::RegionTree& tree, const Target& target, deps::RegionIndex top,
                   ConflictSink& sink);
  void enter_region(const deps::RegionTree& tree, const Target& target, deps::RegionIndex top,
                    ConflictSink& sink);
  void report_regions(const deps::RegionTree& tree, const Target& target, ConflictSink& sink) const;

  // Calls visit(name, first byte) for each block. Names are addresses in the array, side by side as
  // those of the smallest objects are: so blocks that lie side by side are found at one place.
  template <class Visit>
  static void for_blocks(const Target& target, Visit visit) {
    const std::uint64_t last = (target.end - 1 - target.object) >> target.block_shift;
    for (std::uint64_t i = (target.begin - target.object) >> target.block_shift; i <= last; ++i) {
      visit(target.object + i * CellTable::kCellBytes, target.object + (i << target.block_shift));
    }
  }
  [[nodiscard]] static myr_access block_access(const Target& target, std::uint64_t first);

  static void report_ranges(const RangeMap& ranges, const Target& target, ConflictSink& sink);
  static void meet_entry(const deps::RegionTree& tree, RegionHistory::Entry& entry, bool writes,
                         ConflictSink& sink);
  void enter_region_group(RegionHistory::Index index, Group group, const myr_access& memory,
                          ConflictSink& sink);
  static void report_inside(const RegionHistory::Entry& entry, bool writes, Group way,
                            ConflictSink& sink);

  Noted noted_;
  CellTable objects_;
  RegionHistory history_;
  RangeMap parts_;      // of heap objects
  RangeMap unmanaged_;  // memory that is not Myrmidon's
};

}  // namespace myr::graph
