// SPDX-License-Identifier: Apache-2.0
#include "graph/domain.hpp"

namespace myr::graph {

void Domain::report_ranges(const RangeMap& ranges, const Target& target, ConflictSink& sink) {
  if (ranges.empty()) return;
  const Group way = target.kind == TargetKind::Range ? target.group : Group::None;
  ranges.visit(target.begin, target.end,
               [&](const Fragment& piece) { piece.users.report(target.writes, way, sink); });
}

// The users of a whole region, for one who uses something in it.
void Domain::meet_entry(const deps::RegionTree& tree, RegionLedger::Entry& entry, bool writes,
                        ConflictSink& sink) {
  if (writes || entry.users.group.group() != Group::None) {
    fan_in(entry.users.group, myr_inout_region(tree.id_of(entry.region)), sink);
  }
  entry.users.report(writes, Group::None, sink);
}

// The users of a whole region and of what is directly in it.
void Domain::report_inside(const RegionLedger::Entry& entry, bool writes, Group way,
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
  if (target.region == deps::kNoRegion) {
    foreign_.enter(target, sink);
    return;
  }
  note_region(tree, {target.region, top, target.writes}, sink);
  if (const Cell* cell = objects_.find(target.object))
    cell->report(target.writes, Group::None, sink);
  parts_.enter(target, sink);
}

void Domain::enter_region(const deps::RegionTree& tree, const Target& target, deps::RegionIndex top,
                          ConflictSink& sink) {
  noted_ = {};
  const RegionLedger::Index index = ledger_.at(tree, target.region, top);
  for (RegionLedger::Index above = ledger_.entry(index).parent; above != RegionLedger::kNone;
       above = ledger_.entry(above).parent) {
    meet_entry(tree, ledger_.entry(above), target.writes, sink);
  }
  const myr_access memory = myr_inout_region(tree.id_of(target.region));
  if (target.group != Group::None) {
    enter_region_group(index, target.group, memory, sink);
    return;
  }
  if (!target.writes) fan_in(ledger_.entry(index).below_writers, memory, sink);
  ledger_.for_subtree(index, [&](const RegionLedger::Entry& entry) {
    report_inside(entry, target.writes, Group::None, sink);
  });
  if (target.writes) ledger_.supersede(index);
  ledger_.entry(index).users.enter(target.writes, Group::None, [&] { return memory; }, sink);
}

// All that is noted in the region becomes one task, for which each of the group waits.
void Domain::enter_region_group(RegionLedger::Index index, Group group, const myr_access& memory,
                                ConflictSink& sink) {
  if (ledger_.has_others(index, group)) {
    RefSet before;
    const auto add = [&](TaskRef task) { before.add(task); };
    ledger_.for_subtree(index, [&](const RegionLedger::Entry& entry) {
      if (entry.users.writer) add(entry.users.writer);
      entry.users.group.for_each(add);
      entry.below_writers.for_each(add);
      entry.below_readers.for_each(add);
    });
    const bool has_self = before.contains(sink.self());
    const TaskRef join = sink.join(before, memory);
    ledger_.supersede(index);
    ledger_.entry(index).users.writer = join;
    if (has_self) group = Group::None;  // uses it in two ways: that is as a writer does
  }
  ledger_.entry(index).users.enter(true, group, [&] { return memory; }, sink);
}

void Domain::report_conflicts(const deps::RegionTree& tree, const Target& target,
                              ConflictSink& sink) const {
  if (target.region != deps::kNoRegion && !ledger_.empty()) report_regions(tree, target, sink);
  if (target.kind == TargetKind::Region) return;
  if (target.region == deps::kNoRegion) {
    report_ranges(foreign_, target, sink);
    return;
  }
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
    ledger_.for_inside(tree, region, [&](const RegionLedger::Entry& entry) {
      const Group way = entry.region == target.region ? target.group : Group::None;
      report_inside(entry, target.writes, way, sink);
    });
    if (region == deps::kRootRegion) return;
    region = tree.parent(region);
  }
  for (;; region = tree.parent(region)) {
    const RegionLedger::Index index = ledger_.find(tree, region);
    if (index != RegionLedger::kNone)
      ledger_.entry(index).users.report(target.writes, Group::None, sink);
    if (region == deps::kRootRegion) return;
  }
}

bool Domain::has_region_writer(const deps::RegionTree& tree,
                               deps::RegionIndex region) const noexcept {
  if (ledger_.empty()) return false;
  for (;; region = tree.parent(region)) {
    const RegionLedger::Index index = ledger_.find(tree, region);
    if (index != RegionLedger::kNone) {
      const Users& users = ledger_.entry(index).users;
      if (users.writer && !TaskArena::is_complete(users.writer)) return true;
      if (users.group.group() != Group::None && users.group.any_live()) return true;
    }
    if (region == deps::kRootRegion) return false;
  }
}

void Domain::clear() noexcept {
  noted_ = {};
  objects_.clear();
  ledger_.clear();
  parts_.clear();
  foreign_.clear();
}

void Domain::trim() {
  clear();
  objects_.trim(kBlocksKept);
}

}  // namespace myr::graph
