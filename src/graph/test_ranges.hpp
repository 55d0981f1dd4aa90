// SPDX-License-Identifier: Apache-2.0
//
// What the tests of range maps share: a map beside the plain list of all that was entered into it.
#pragma once

#include <cstdint>
#include <vector>

#include "deps/range_map.hpp"
#include "graph/test_tasks.hpp"
#include "graph/users.hpp"

namespace myr::graph {

struct Use {
  std::uint64_t begin;
  std::uint64_t end;
  bool writes;
  Group way = Group::None;
};

inline bool conflicts(const Use& a, const Use& b) {
  const bool in_group = a.way != Group::None && a.way == b.way;
  return a.begin < b.end && b.begin < a.end && (a.writes || b.writes) && !in_group;
}

// The map and the plain list of what was entered into it.
class RangeBench {
 public:
  explicit RangeBench(TestTasks& supply) : scenario_(supply) {}

  // Enters all uses of one task. Returns whether what the map reported is right.
  bool enter(const std::vector<Use>& uses) {
    const TaskRef task = scenario_.next();
    Scenario::Sink sink(scenario_, task);
    Scenario::Set expected = 0;
    for (const Use& use : uses) {
      expected |= users(use);
      map_.enter({use.begin, use.end}, use.writes, use.way, sink);
    }
    return settle(task, sink, expected, uses);
  }
  // Enters a tile, by its rows if the map wants it so.
  bool enter_tile(const deps::Tile& tile, bool writes, Group way = Group::None) {
    const TaskRef task = scenario_.next();
    Scenario::Sink sink(scenario_, task);
    std::vector<Use> uses;
    for (std::uint64_t row = 0; row < tile.rows; ++row) {
      const std::uint64_t begin = tile.row(row);
      uses.push_back({begin, begin + tile.bytes, writes, way});
    }
    Scenario::Set expected = 0;
    for (const Use& use : uses) expected |= users(use);
    if (!map_.enter_tile(tile, writes, way, sink)) {
      for (const Use& use : uses) map_.enter({use.begin, use.end}, writes, way, sink);
    }
    return settle(task, sink, expected, uses);
  }
  // For the last task entered.
  [[nodiscard]] Scenario::Set reported() const { return reported_; }
  void clear() {
    map_.clear();
    for (std::vector<Use>& uses : entered_) uses.clear();
  }
  [[nodiscard]] const deps::RangeMap<Users>& map() const { return map_; }
  [[nodiscard]] Scenario& scenario() { return scenario_; }

 private:
  bool settle(TaskRef task, const Scenario::Sink& sink, Scenario::Set expected,
              const std::vector<Use>& uses) {
    reported_ = sink.reported();
    const bool right = scenario_.accepts(reported_, expected);
    scenario_.settle(task, reported_);
    entered_.push_back(uses);
    return right;
  }
  [[nodiscard]] Scenario::Set users(const Use& wanted) const {
    Scenario::Set users = 0;
    for (std::size_t task = 0; task < entered_.size(); ++task) {
      for (const Use& use : entered_[task]) {
        if (conflicts(use, wanted)) users |= Scenario::Set{1} << task;
      }
    }
    return users;
  }
  deps::RangeMap<Users> map_;
  Scenario scenario_;
  std::vector<std::vector<Use>> entered_;
  Scenario::Set reported_ = 0;
};

}  // namespace myr::graph
