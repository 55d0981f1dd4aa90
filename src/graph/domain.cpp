// SPDX-License-Identifier: Apache-2.0
#include "graph/domain.hpp"

namespace myr::graph {

void Domain::take_readers(Cell& cell, ConflictSink& sink) {
  cell.readers.for_each([&](TaskRef reader) { sink.report(reader); });
  cell.readers.clear();
}

void Domain::report_cell(const Cell& cell, bool writes, ConflictSink& sink) {
  sink.report(cell.writer);
  if (writes) cell.readers.for_each([&](TaskRef reader) { sink.report(reader); });
}

void Domain::report_ranges(const RangeMap& ranges, const Target& target, ConflictSink& sink) {
  if (ranges.empty()) return;
  ranges.visit(target.begin, target.end, [&](const Fragment& piece) {
    sink.report(piece.writer);
    if (target.writes) piece.readers.for_each([&](TaskRef reader) { sink.report(reader); });
  });
}

namespace {

// Tasks that stay in a set while others wait for them become one, so that N of them and M others
// make N + M edges. The sink's own task is not among those that it waits for.
void fan_in(RefSet& tasks, const myr_access& memory, ConflictSink& sink) {
  if (!tasks.is_many()) return;
  const TaskRef join = sink.join(tasks, memory);
  const bool has_self = tasks.contains(sink.self());
  tasks.clear();
  if (join) tasks.add(join);
  if (has_self) tasks.add(sink.self());
}

}  // namespace

// The users of a whole region, for one who uses something in it.
void Domain::meet_entry(const deps::RegionTree& tree, RegionLedger::Entry& entry, bool writes,
                        ConflictSink& sink) {
  if (writes) fan_in(entry.readers, myr_inout_region(tree.id_of(entry.region)), sink);
  report_entry(entry, writes, sink);
}

// The users of a whole region.
void Domain::report_entry(const RegionLedger::Entry& entry, bool writes, ConflictSink& sink) {
  sink.report(entry.writer);
  if (writes) entry.readers.for_each([&](TaskRef reader) { sink.report(reader); });
}

// The users of a whole region and of what is directly in it.
void Domain::report_inside(const RegionLedger::Entry& entry, bool writes, ConflictSink& sink) {
  const auto report = [&](TaskRef task) { sink.report(task); };
  report_entry(entry, writes, sink);
  entry.below_writers.for_each(report);
  if (writes) entry.below_readers.for_each(report);
}

void Domain::enter_other(const deps::RegionTree& tree, const Target& target, deps::RegionIndex top,
                         ConflictSink& sink) {
  if (target.kind == TargetKind::Region) {
    enter_region(tree, target, top, sink);
    return;
  }
  if (target.region == deps::kNoRegion) {
    foreign_.enter(target.begin, target.end, target.writes, sink);
    return;
  }
  note_region(tree, {target.region, top, target.writes}, sink);
  if (const Cell* cell = objects_.find(target.object)) report_cell(*cell, target.writes, sink);
  parts_.enter(target.begin, target.end, target.writes, sink);
}

void Domain::enter_region(const deps::RegionTree& tree, const Target& target, deps::RegionIndex top,
                          ConflictSink& sink) {
  noted_ = {};
  const RegionLedger::Index index = ledger_.at(tree, target.region, top);
  for (RegionLedger::Index above = ledger_.entry(index).parent; above != RegionLedger::kNone;
       above = ledger_.entry(above).parent) {
    meet_entry(tree, ledger_.entry(above), target.writes, sink);
  }
  if (!target.writes) {
    RegionLedger::Entry& entry = ledger_.entry(index);
    fan_in(entry.below_writers, myr_inout_region(tree.id_of(entry.region)), sink);
  }
  ledger_.for_subtree(
      index, [&](const RegionLedger::Entry& entry) { report_inside(entry, target.writes, sink); });
  if (target.writes) {
    ledger_.supersede(index);
    ledger_.entry(index).writer = sink.self();
  } else {
    ledger_.entry(index).readers.add(sink.self());
  }
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
  const std::uint64_t object = target.kind == TargetKind::Object ? target.begin : target.object;
  if (const Cell* cell = objects_.find(object)) report_cell(*cell, target.writes, sink);
}

void Domain::report_regions(const deps::RegionTree& tree, const Target& target,
                            ConflictSink& sink) const {
  deps::RegionIndex region = target.region;
  if (target.kind == TargetKind::Region) {
    ledger_.for_inside(tree, region, [&](const RegionLedger::Entry& entry) {
      report_inside(entry, target.writes, sink);
    });
    if (region == deps::kRootRegion) return;
    region = tree.parent(region);
  }
  for (;; region = tree.parent(region)) {
    const RegionLedger::Index index = ledger_.find(tree, region);
    if (index != RegionLedger::kNone) report_entry(ledger_.entry(index), target.writes, sink);
    if (region == deps::kRootRegion) return;
  }
}

bool Domain::has_region_writer(const deps::RegionTree& tree,
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
