// SPDX-License-Identifier: Apache-2.0
#include "graph/domain.hpp"

#include <algorithm>

#include "mem/heap.hpp"

namespace myr::graph {

namespace {
// A stretch of this many objects costs what they cost one by one.
constexpr std::int32_t kStretchPays = 4;
constexpr std::int32_t kStretchesPayMax = 256;
// If a region has so many inside, they are not looked at for each of its readers.
constexpr std::size_t kRegionsMany = 8;
}  // namespace

void Domain::report_ranges(const RangeMap& ranges, const Target& target, ConflictSink& sink) {
  if (ranges.empty()) return;
  const Group way = target.kind == TargetKind::Range ? target.group : Group::None;
  ranges.visit({target.begin, target.end},
               [&](const Users& users) { users.report(target.writes, way, sink); });
}

void Domain::report_stretches(const Target& target, ConflictSink& sink) const {
  stretches_.visit(target.begin, target.end, [&](auto, auto, const Users& users) {
    users.report(target.writes, Group::None, sink);
    return true;
  });
}

// Tasks that come to a part later will meet the user of the whole object at its cell.
void Domain::meet_parts(const Target& object, ConflictSink& sink) {
  parts_.enter_noted({object.begin, object.end}, object.writes, object.group, sink);
}

// The last block may be shorter than others.
myr_access Domain::block_access(const Target& target, std::uint64_t first) {
  void* const block = reinterpret_cast<void*>(first);
  const mem::Range array = mem::Heap::find_object(block);
  const std::uint64_t left = target.object + array.bytes - first;
  return myr_inout_range(block, std::min(left, std::uint64_t{1} << target.block_shift));
}

// The users of a whole region and of what is directly in it.
void Domain::report_inside(const RegionHistory::Entry& entry, bool writes, Group way,
                           ConflictSink& sink) {
  entry.users.report(writes, way, sink);
  Users::report_all(entry.below_writers, sink);
  if (writes) Users::report_all(entry.below_readers, sink);
}

void Domain::enter_other(const deps::RegionTree& tree, const Target& target, deps::RegionIndex top,
                         ConflictSink& sink) {
  if (target.kind == TargetKind::Region) {
    enter_region(tree, target, top, sink);
    return;
  }
  if (target.kind == TargetKind::Blocks) {
    enter_array(tree, {target.region, top, target.writes}, sink);
    enter_noted_blocks(target, sink);
    return;
  }
  if (target.region == deps::kNoRegion) {
    unmanaged_.enter({target.begin, target.end}, target.writes, target.group, sink);
    return;
  }
  note_region(tree, {target.region, top, target.writes}, sink);
  if (Cell* cell = objects_.find(target.object)) {
    cell->meet(target.writes, Group::None, myr_inout(reinterpret_cast<void*>(target.object)), sink);
  }
  report_stretches(target, sink);
  parts_.enter({target.begin, target.end}, target.writes, target.group, sink);
}

bool Domain::enter_stretch(const deps::RegionTree& tree, const Target& stretch, std::size_t count,
                           bool may_begin, ConflictSink& sink) {
  using Noting = RegionHistory::Noting;
  noted_ = {};
  const ObjectUse use{stretch.region, deps::kRootRegion, stretch.writes};
  RegionHistory::Entry& entry = region_of(tree, use);
  if (entry.noting == Noting::Undecided && may_begin) {
    entry.noting = Noting::Stretches;
    entry.stretches_pay = kStretchesPayMax;
  }
  if (entry.noting != Noting::Stretches) return false;
  entry.stretches_pay += static_cast<std::int32_t>(count) - kStretchPays;
  entry.stretches_pay = std::min(entry.stretches_pay, kStretchesPayMax);
  if (entry.stretches_pay < 0) {
    give_up_stretches(entry);
    return false;
  }
  note_in(tree, entry, use, sink);
  stretches_.sweep([](const Users& users) { return !users.any_live(); });
  stretches_.change(stretch.begin, stretch.end, [&](auto& piece) {
    const auto memory = [&] { return Users::memory_of({piece.begin, piece.end}); };
    piece.value.enter(stretch.writes, stretch.group, memory, sink);
  });
  report_ranges(parts_, stretch, sink);
  return true;
}

void Domain::enter_single(const deps::RegionTree& tree, const Target& target, deps::RegionIndex top,
                          ConflictSink& sink) {
  if (!enter_stretch(tree, target, 1, false, sink)) enter(tree, target, top, sink);
}

// The rest of note_region(): how the region's objects are noted was not decided, or they are as
// stretches.
bool Domain::note_first(const deps::RegionTree& tree, const ObjectUse& use,
                        RegionHistory::Entry& region, ConflictSink& sink) {
  using Noting = RegionHistory::Noting;
  if (region.noting == Noting::Undecided) {
    region.noting = Noting::Objects;
    return note_region(tree, use, sink);
  }
  note_in(tree, region, use, sink);
  return false;
}

// From now on the region's objects are noted one by one. What is not alive any more may have become
// other objects.
void Domain::give_up_stretches(RegionHistory::Entry& entry) {
  entry.noting = RegionHistory::Noting::Objects;
  stretches_.visit(0, ~std::uint64_t{0}, [&](auto begin, auto end, const Users& users) {
    const mem::Heap::Whole object = mem::Heap::object_at(reinterpret_cast<const void*>(begin));
    if (object.bytes == 0 || object.owner != entry.region || !users.any_live()) return true;
    for (std::uint64_t at = begin; at < end; at += object.bytes) {
      objects_.page(at).at(at) = Cell(users);
    }
    return true;
  });
}

// One user stays noted, even if all have ended: a later task shall not pass the entry by.
void Domain::meet_gathering(const deps::RegionTree& tree, RegionHistory::Entry& region, bool writes,
                            ConflictSink& sink) {
  TaskRef user;
  region.users.for_each([&](bool, Group, TaskRef task) { user = task; });
  region.users.meet(writes, Group::None, myr_inout_region(tree.id_of(region.region)), sink);
  if (region.users.is_untouched()) region.users.group.add(user);
  region.add_below(writes, sink.self());
}

void Domain::enter_region(const deps::RegionTree& tree, const Target& target, deps::RegionIndex top,
                          ConflictSink& sink) {
  noted_ = {};
  const RegionHistory::Index index = history_.at(tree, target.region, top);
  for (RegionHistory::Index above = history_.entry(index).parent; above != RegionHistory::kNone;
       above = history_.entry(above).parent) {
    meet_region(tree, history_.entry(above), target.writes, sink);
  }
  const myr_access memory = myr_inout_region(tree.id_of(target.region));
  if (target.group != Group::None) {
    enter_region_group(index, target.group, memory, sink);
    return;
  }
  RegionHistory::Entry& entry = history_.entry(index);
  if (!target.writes) Users::fan_in(entry.below_writers, memory, sink);
  if (entry.gathers) {
    report_inside(entry, target.writes, Group::None, sink);
  } else {
    std::size_t count = 0;
    history_.for_subtree(index, [&](const RegionHistory::Entry& inside) {
      report_inside(inside, target.writes, Group::None, sink);
      count += 1;
    });
    if (!target.writes && count > kRegionsMany) history_.gather(index);
  }
  if (target.writes) history_.supersede(index);
  entry.users.enter(target.writes, Group::None, [&] { return memory; }, sink);
}

// All that is noted in the region becomes one task, for which each of the group waits.
void Domain::enter_region_group(RegionHistory::Index index, Group group, const myr_access& memory,
                                ConflictSink& sink) {
  if (history_.has_others(index, group)) {
    RefSet before;
    const auto add = [&](TaskRef task) { before.add(task); };
    history_.for_subtree(index, [&](const RegionHistory::Entry& entry) {
      if (entry.users.writer) add(entry.users.writer);
      entry.users.group.for_each(add);
      entry.below_writers.for_each(add);
      entry.below_readers.for_each(add);
    });
    const bool has_self = before.contains(sink.self());
    const TaskRef join = sink.join(before, memory);
    history_.supersede(index);
    history_.entry(index).users.writer = join;
    if (has_self) group = Group::None;  // uses it in two ways: that counts as writing
  }
  history_.entry(index).users.enter(true, group, [&] { return memory; }, sink);
}

void Domain::report_conflicts(const deps::RegionTree& tree, const Target& target,
                              ConflictSink& sink) const {
  if (target.region != deps::kNoRegion && !history_.empty()) report_regions(tree, target, sink);
  if (target.kind == TargetKind::Region) return;
  if (target.region == deps::kNoRegion) {
    report_ranges(unmanaged_, target, sink);
    return;
  }
  if (target.kind == TargetKind::Blocks) {
    for_blocks(target, [&](std::uint64_t name, std::uint64_t) {
      const Cell* const cell = objects_.find(name);
      if (cell != nullptr) cell->report(target.writes, target.group, sink);
    });
    return;
  }
  report_stretches(target, sink);
  report_ranges(parts_, target, sink);
  const bool is_whole = target.kind == TargetKind::Object;
  const Group way = is_whole ? target.group : Group::None;
  const Cell* cell = objects_.find(is_whole ? target.begin : target.object);
  if (cell != nullptr) cell->report(target.writes, way, sink);
}

void Domain::report_regions(const deps::RegionTree& tree, const Target& target,
                            ConflictSink& sink) const {
  deps::RegionIndex region = target.region;
  if (target.kind == TargetKind::Region) {
    history_.for_inside(tree, region, [&](const RegionHistory::Entry& entry) {
      const Group way = entry.region == target.region ? target.group : Group::None;
      report_inside(entry, target.writes, way, sink);
    });
    if (region == deps::kRootRegion) return;
    region = tree.parent(region);
  }
  for (;; region = tree.parent(region)) {
    const RegionHistory::Index index = history_.find(tree, region);
    if (index != RegionHistory::kNone)
      history_.entry(index).users.report(target.writes, Group::None, sink);
    if (region == deps::kRootRegion) return;
  }
}

void Domain::report_unmanaged(ConflictSink& sink) const {
  unmanaged_.visit({0, ~std::uint64_t{0}},
                   [&](const Users& users) { users.report(true, Group::None, sink); });
}

bool Domain::has_region_writer(const deps::RegionTree& tree,
                               deps::RegionIndex region) const noexcept {
  if (history_.empty()) return false;
  for (;; region = tree.parent(region)) {
    const RegionHistory::Index index = history_.find(tree, region);
    if (index != RegionHistory::kNone) {
      const Users& users = history_.entry(index).users;
      if (users.writer && !TaskArena::is_complete(users.writer)) return true;
      if (users.group.group() != Group::None && users.group.any_live()) return true;
    }
    if (region == deps::kRootRegion) return false;
  }
}

void Domain::forget() noexcept {
  noted_ = {};
  objects_.clear();
  history_.clear();
  stretches_.clear();
  parts_.clear();
  unmanaged_.clear();
  has_own_memory_ = false;
  is_used_ = true;
}

void Domain::give_back() {
  forget();
  objects_.trim(kBlocksKept);
  is_used_ = false;
}

}  // namespace myr::graph
