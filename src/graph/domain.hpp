// SPDX-License-Identifier: Apache-2.0
//
// Domain: what the children of one task have touched so far, in spawn order. Entering an access
// tells which earlier children it must wait for. One task's children, one domain: the children of a
// child are in its own, and a task that waits for the child looks there once its body has ended
// (see linker.hpp).
//
// Threads: enter() and clear() by the thread that runs the owner of the domain. After the owner has
// ended nobody writes, and report_conflicts() may be called by any thread.
#pragma once

#include <cstdint>

#include "deps/range_map.hpp"
#include "deps/region_tree.hpp"
#include "graph/cell_table.hpp"
#include "graph/conflict_sink.hpp"
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
      if (MYR_UNLIKELY(!page.is_there())) return enter_single(tree, target, top, sink);
      enter_in_page(page, target.begin, target.writes, sink, target.group);
      if (MYR_UNLIKELY(!parts_.empty())) meet_parts(target, sink);
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
  // has_parts() is false: first enter_page(), then enter_in_page() for each object. Without a page,
  // the region's objects are noted as stretches.
  [[nodiscard]] CellTable::Page enter_page(const deps::RegionTree& tree, std::uint64_t address,
                                           const ObjectUse& use, ConflictSink& sink) {
    if (!note_region(tree, use, sink)) return {};
    return objects_.page(address);
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
    for_blocks(target, [&](std::uint64_t name, std::uint64_t first) {
      const auto memory = [&] { return block_access(target, first); };
      objects_.page(name).at(name).enter(target.writes, target.group, memory, sink);
    });
  }
  // enter() for memory that is not Myrmidon's.
  void enter_outside(deps::Bytes bytes, bool writes, ConflictSink& sink) {
    unmanaged_.enter(bytes, writes, Group::None, sink);
  }
  // The same for all rows of a tile; false: they are to be entered one by one.
  [[nodiscard]] bool enter_tile_outside(const deps::Tile& tile, bool writes, ConflictSink& sink) {
    return unmanaged_.enter_tile(tile, writes, Group::None, sink);
  }
  // enter() for `count` whole objects of a region that lie side by side, all together. Domains of
  // loops are full of these: noting them one by one costs more than such a loop does. False:
  // objects of this region are noted one by one; enter them so. `may_begin`: they need not be, if
  // none was yet. REQUIRES: the owner of the domain holds all regions.
  [[nodiscard]] bool enter_stretch(const deps::RegionTree& tree, const Target& stretch,
                                   std::size_t count, bool may_begin, ConflictSink& sink);
  [[nodiscard]] RegionHistory::Noting noting(const deps::RegionTree& tree,
                                             deps::RegionIndex region) const noexcept {
    const RegionHistory::Index index = history_.find(tree, region);
    return index == RegionHistory::kNone ? RegionHistory::Noting::Undecided
                                         : history_.entry(index).noting;
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
    unmanaged_.visit({begin, end}, [&](const Users& users) {
      if (users.writer) visit(users.writer);
      users.group.for_each(visit);
    });
  }

  // A child was given memory that the owner of the domain has not declared. What comes after the
  // owner may find that memory through anything that the owner has declared, as what a container
  // has grown to: so it waits for all users of memory that is not Myrmidon's.
  void note_own_memory() noexcept { has_own_memory_ = true; }
  [[nodiscard]] bool has_own_memory() const noexcept { return has_own_memory_; }
  void report_unmanaged(ConflictSink& sink) const;

  // Is a task alive that was given the region, or one around it, for writing?
  [[nodiscard]] bool has_region_writer(const deps::RegionTree& tree,
                                       deps::RegionIndex region) const noexcept;

  // Another task waits for the next access than for those before it, though all are of one task.
  void begin_stand_in() noexcept { noted_ = {}; }

  // Forgets everything: all tasks entered are complete. Cost: O(1) for objects.
  void clear() noexcept {
    if (!is_empty()) forget();
  }
  // clear(), and gives back memory that a domain which is kept for reuse need not have.
  void trim() {
    if (is_used_ || !is_empty()) give_back();
  }

 private:
  static constexpr std::size_t kBlocksKept = 16;

  // The last entry into a region's history: one is enough for all the accesses of a task in a
  // region whose objects are noted one by one.
  struct Noted {
    TaskRef task;
    deps::RegionIndex region = deps::kNoRegion;
    bool writes = false;
  };

  // Whatever is the heap's is noted at its region, too.
  [[nodiscard]] bool is_empty() const noexcept { return history_.empty() && unmanaged_.empty(); }
  void forget() noexcept;
  void give_back();

  // False: the region's objects are noted as stretches.
  bool note_region(const deps::RegionTree& tree, const ObjectUse& use, ConflictSink& sink) {
    if (noted_.region == use.region && noted_.writes == use.writes && noted_.task == sink.self()) {
      return true;
    }
    RegionHistory::Entry& region = region_of(tree, use);
    if (MYR_UNLIKELY(region.noting != RegionHistory::Noting::Objects)) {
      return note_first(tree, use, region, sink);
    }
    note_in(tree, region, use, sink);
    noted_ = {sink.self(), use.region, use.writes};
    return true;
  }
  [[nodiscard]] RegionHistory::Entry& region_of(const deps::RegionTree& tree,
                                                const ObjectUse& use) {
    // The owner holds objects of the region, not itself.
    const bool alone = use.top == deps::kNoRegion;
    return history_.entry(MYR_UNLIKELY(alone) ? history_.alone(tree, use.region)
                                              : history_.at(tree, use.region, use.top));
  }
  // Something directly in the region is used.
  void note_in(const deps::RegionTree& tree, RegionHistory::Entry& region, const ObjectUse& use,
               ConflictSink& sink) {
    for (RegionHistory::Entry* entry = &region;;) {
      if (MYR_UNLIKELY(!entry->users.is_untouched())) {
        meet_region(tree, *entry, use.writes, sink);
      }
      if (entry->parent == RegionHistory::kNone) break;
      entry = &history_.entry(entry->parent);
    }
    region.add_below(use.writes, sink.self());
  }
  // Something inside the region is used.
  static void meet_region(const deps::RegionTree& tree, RegionHistory::Entry& region, bool writes,
                          ConflictSink& sink) {
    if (MYR_UNLIKELY(region.gathers)) return meet_gathering(tree, region, writes, sink);
    region.users.meet(writes, Group::None, myr_inout_region(tree.id_of(region.region)), sink);
  }
  static void meet_gathering(const deps::RegionTree& tree, RegionHistory::Entry& region,
                             bool writes, ConflictSink& sink);
  MYR_COLD bool note_first(const deps::RegionTree& tree, const ObjectUse& use,
                           RegionHistory::Entry& region, ConflictSink& sink);
  MYR_COLD void enter_single(const deps::RegionTree& tree, const Target& target,
                             deps::RegionIndex top, ConflictSink& sink);
  void give_up_stretches(RegionHistory::Entry& entry);

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

  using RangeMap = deps::RangeMap<Users>;

  static void report_ranges(const RangeMap& ranges, const Target& target, ConflictSink& sink);
  void report_stretches(const Target& target, ConflictSink& sink) const;
  void meet_parts(const Target& object, ConflictSink& sink);
  void enter_region_group(RegionHistory::Index index, Group group, const myr_access& memory,
                          ConflictSink& sink);
  static void report_inside(const RegionHistory::Entry& entry, bool writes, Group way,
                            ConflictSink& sink);

  Noted noted_;
  CellTable objects_;
  RegionHistory history_;
  base::ByteMap<Users> stretches_;  // of heap objects, which fragments name: so without spans
  RangeMap parts_;                  // of heap objects
  RangeMap unmanaged_;              // memory that is not Myrmidon's
  bool has_own_memory_ = false;
  bool is_used_ = false;  // something was forgotten since trim()
};

}  // namespace myr::graph
