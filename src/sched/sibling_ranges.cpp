// SPDX-License-Identifier: Apache-2.0
#include "sched/sibling_ranges.hpp"

#include <algorithm>
#include <utility>

namespace myr::sched {

using proto::TaskId;
using proto::UsedRange;

namespace {

deps::Bytes bytes_of(const UsedRange& range) {
  return {range.address, range.address + range.bytes};
}

}  // namespace

bool SiblingRanges::enter(const proto::Task& task, Role role) {
  if (task.ranges.empty()) return false;
  const Child& child = *children_.try_emplace(task.id, task.program).first;
  Sink sink{*this, task.id};
  for (const UsedRange& range : task.ranges) {
    const bool writes = role == Role::StandIn || range.mode == proto::Mode::Write;
    ranges_.enter(bytes_of(range), writes, Users::Way::Usual, sink);
  }
  return child.missing != 0;
}

// Noted once, though the child may meet the same elder in many fragments.
void SiblingRanges::wait_for(TaskId elder, TaskId child) {
  Child* const found = children_.find(elder);
  if (found == nullptr || elder == child) return;
  if (!found->successors.empty() && found->successors.back() == child) return;
  found->successors.push_back(child);
  children_.at(child).missing += 1;
  edges_ += 1;
}

void SiblingRanges::drop_completed(TaskIds& tasks) const {
  std::erase_if(tasks, [&](TaskId task) { return !children_.contains(task); });
}

// The list is looked through only after as many have come as were left the last time.
void SiblingRanges::add(TaskIds& tasks, TaskId child) {
  if (!tasks.empty() && tasks.back() == child) return;
  if (tasks.size() == tasks.capacity()) {
    drop_completed(tasks);
    tasks.reserve(2 * tasks.size() + 1);
  }
  tasks.push_back(child);
}

// Puts a join in the place of all but the child itself.
void SiblingRanges::join(TaskIds& tasks, TaskId child) {
  drop_completed(tasks);
  const bool has_self = std::erase(tasks, child) != 0;
  if (tasks.size() > 1) {
    last_join_ -= 1;
    Child& fresh = *children_.try_emplace(last_join_, std::uint64_t{0}).first;
    for (const TaskId task : tasks) wait_for(task, last_join_);
    fresh.members = std::exchange(tasks, {last_join_});
  }
  if (has_self) tasks.push_back(child);
}

// Looks at no task a second time that has completed.
bool SiblingRanges::is_over(TaskIds& tasks) const {
  while (!tasks.empty() && !children_.contains(tasks.back())) tasks.pop_back();
  return tasks.empty();
}

bool SiblingRanges::is_over(Users& users) const {
  return is_over(users.readers) && !children_.contains(users.writer);
}

// The child, or one that the join stands for.
const SiblingRanges::Child* SiblingRanges::find_child(TaskId task) const {
  const Child* found = children_.find(task);
  while (found != nullptr && !found->members.empty()) {
    const TaskIds& members = found->members;
    found = children_.find(*std::find_if(
        members.begin(), members.end(), [&](TaskId member) { return children_.contains(member); }));
  }
  return found;
}

std::optional<std::uint64_t> SiblingRanges::user_of(const UsedRange& range) const {
  const Child* user = nullptr;
  ranges_.visit(bytes_of(range), [&](const Users& users) {
    if (user == nullptr) user = find_child(users.writer);
    for (auto id = users.readers.begin(); user == nullptr && id != users.readers.end(); ++id) {
      user = find_child(*id);
    }
  });
  if (user == nullptr) return {};
  return user->program;
}

std::vector<TaskId> SiblingRanges::complete(TaskId child) {
  TaskIds released;
  TaskIds ended{child};
  while (!ended.empty()) {
    Child* const found = children_.find(ended.back());
    if (found == nullptr) return {};
    const TaskIds successors = std::move(found->successors);
    children_.erase(ended.back());
    ended.pop_back();
    for (const TaskId successor : successors) {
      Child& waiting = children_.at(successor);
      waiting.missing -= 1;
      if (waiting.missing == 0) (waiting.members.empty() ? released : ended).push_back(successor);
    }
  }
  if (children_.empty()) ranges_.clear();
  return released;
}

}  // namespace myr::sched
