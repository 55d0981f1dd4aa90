// SPDX-License-Identifier: Apache-2.0
#include "graph/step_builder.hpp"

#include <algorithm>

#include "graph/task_arena.hpp"

namespace myr::graph {

StepBuilder::~StepBuilder() {
  for (Task* task : stand_ins_) {
    static_cast<void>(task->successors.complete_unshared());
    recycler_.recycle(task);
  }
}

// A task that nobody runs. `number`: its index, or that of the join that it is.
Task* StepBuilder::stand_in(std::uint64_t number) {
  Task* task = recycler_.pool().allocate(0);
  if (task == nullptr) return nullptr;
  task->order = number;
  stand_ins_.push_back(task);
  return task;
}

bool StepBuilder::find_edges() {
  // Tasks with more edges than that are as well found by analysis, which puts joins between them.
  constexpr std::size_t kEdgesPerTask = 32;
  constexpr std::size_t kEdgesPerAccess = 8;
  const std::uint32_t count = step_.size();
  edges_left_ = kEdgesPerTask * count + kEdgesPerAccess * step_.accesses_.size();
  predecessors_.resize(count);
  for (std::uint32_t i = 0; i < 2 * count; ++i) {
    if (!enter(i)) return false;
  }
  return true;
}

bool StepBuilder::enter(std::uint32_t index) {
  Task* const task = stand_in(index);
  if (task == nullptr) return false;
  const std::uint32_t count = step_.size();
  const std::uint32_t recorded = index % count;
  Sink sink(*this, TaskArena::ref(task));
  for (const RecordedAccess& access : step_.accesses(recorded)) {
    if (access.target.kind == TargetKind::None) continue;
    domain_.enter(space_.tree(), access.target, access.top, sink);
  }
  std::vector<std::uint32_t>& found = sink.found();
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  if (has_failed_ || found.size() > edges_left_) return false;
  edges_left_ -= found.size();
  if (index < count) {
    predecessors_[index] = found;
    return true;
  }
  RecordedStep::Recorded& second = step_.tasks_[recorded];
  second.first_before = static_cast<std::uint32_t>(step_.before_.size());
  for (const std::uint32_t on : found) {
    if (on < count) step_.before_.push_back(on);
  }
  second.before_count = static_cast<std::uint32_t>(step_.before_.size()) - second.first_before;
  return true;
}

void StepBuilder::expand(TaskRef on, std::vector<std::uint32_t>& found) {
  const Task& task = *TaskArena::task(on.granule());
  if ((task.flags & kJoin) == 0) {
    found.push_back(static_cast<std::uint32_t>(task.order));
    return;
  }
  const std::vector<std::uint32_t>& members = joins_[task.order];
  if (members.size() > edges_left_) {
    has_failed_ = true;
  } else {
    found.insert(found.end(), members.begin(), members.end());
  }
}

TaskRef StepBuilder::Sink::join(const RefSet& members, const myr_access&) {
  Task* const task = builder_.stand_in(builder_.joins_.size());
  if (task == nullptr) {
    builder_.has_failed_ = true;
    return {};
  }
  task->flags = kJoin;
  std::vector<std::uint32_t> all;
  members.for_each([&](TaskRef member) {
    if (member != self()) builder_.expand(member, all);
  });
  builder_.joins_.push_back(std::move(all));
  return TaskArena::ref(task);
}

}  // namespace myr::graph
