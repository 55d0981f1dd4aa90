// SPDX-License-Identifier: Apache-2.0
//
// JoinLog: which task each join stands for, to draw the graph.
//
// Threads: one worker's.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graph/ref_set.hpp"
#include "graph/task_ref.hpp"

namespace myr::graph {

class JoinLog {
 public:
  void add(TaskRef join, const RefSet& members) { members_[join.bits] = members.all(); }
  // Calls visit(TaskRef) for the task, or for those that it stands for.
  template <class Visit>
  void for_each_behind(TaskRef task, Visit&& visit) const {
    std::vector<TaskRef> left{task};
    while (!left.empty()) {
      const TaskRef next = left.back();
      left.pop_back();
      const auto found = members_.find(next.bits);
      if (found == members_.end()) {
        visit(next);
      } else {
        left.insert(left.end(), found->second.begin(), found->second.end());
      }
    }
  }

 private:
  std::unordered_map<std::uint64_t, std::vector<TaskRef>> members_;
};

}  // namespace myr::graph
