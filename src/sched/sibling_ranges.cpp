// SPDX-License-Identifier: Apache-2.0
#include "sched/sibling_ranges.hpp"

#include <utility>

namespace myr::sched {

using proto::Foreign;
using proto::TaskId;

namespace {

bool conflict(const Foreign& a, const Foreign& b) {
  return proto::overlap(a, b) && (a.mode == proto::Mode::Write || b.mode == proto::Mode::Write);
}

}  // namespace

bool SiblingRanges::enter(const proto::Task& task) {
  if (task.foreign.empty()) return false;
  const TaskId child = task.id;
  Child& entered = children_[child];
  const std::size_t elder = uses_.size();
  for (const Foreign& range : task.foreign) {
    for (std::size_t i = 0; i < elder; ++i) {
      if (!conflict(uses_[i].range, range)) continue;
      std::vector<TaskId>& successors = children_.at(uses_[i].child).successors;
      if (!successors.empty() && successors.back() == child) continue;
      successors.push_back(child);
      entered.missing += 1;
    }
    uses_.push_back({.range = range, .child = child, .program = task.program});
  }
  return entered.missing != 0;
}

std::optional<std::uint64_t> SiblingRanges::user_of(const Foreign& range) const {
  for (const Use& use : uses_) {
    if (proto::overlap(use.range, range)) return use.program;
  }
  return {};
}

std::vector<TaskId> SiblingRanges::complete(TaskId child) {
  const auto found = children_.find(child);
  if (found == children_.end()) return {};
  const std::vector<TaskId> successors = std::move(found->second.successors);
  children_.erase(found);
  std::erase_if(uses_, [&](const Use& use) { return use.child == child; });
  std::vector<TaskId> released;
  for (const TaskId successor : successors) {
    std::size_t& missing = children_.at(successor).missing;
    missing -= 1;
    if (missing == 0) released.push_back(successor);
  }
  return released;
}

}  // namespace myr::sched
