// SPDX-License-Identifier: Apache-2.0
#include "sched/step_edges.hpp"

namespace myr::sched {

void StepEdges::begin_task() {
  tasks_.push_back({.first_use = static_cast<std::uint32_t>(uses_.size()),
                    .first_before = static_cast<std::uint32_t>(before_.size()),
                    .seen_by = kNobody});
}

void StepEdges::use(proto::NodeId object, proto::Mode mode, bool transfers) {
  const std::uint32_t task = task_count() - 1;
  Users& users = *users_.try_emplace(object.value()).first;
  uses_.push_back(
      {.object = object.value(), .source = {.before = users.producer, .last = &users.producer}});
  wait_for(users.writer);
  if (mode == proto::Mode::Read) {
    users.readers.push_back(task);
    return;
  }
  for (const std::uint32_t reader : users.readers) wait_for(reader);
  users.readers.clear();
  users.writer = task;
  if (transfers) users.producer = task;
}

void StepEdges::use(const proto::UsedRange& range) {
  for (const UsedBy& used : ranges_) {
    const bool writes = range.mode == proto::Mode::Write || used.range.mode == proto::Mode::Write;
    if (writes && proto::overlap(range, used.range)) wait_for(used.task);
  }
  ranges_.push_back({.range = range, .task = task_count() - 1});
}

void StepEdges::wait_for(std::uint32_t elder) {
  const std::uint32_t task = task_count() - 1;
  if (elder == kNobody || elder == task || tasks_[elder].seen_by == task) return;
  tasks_[elder].seen_by = task;
  before_.push_back(elder);
}

StepEdges::Source StepEdges::source_of(std::uint32_t task, std::uint64_t object) const {
  const Use* const end = end_of(task, &Task::first_use, uses_);
  for (const Use* use = uses_.data() + tasks_[task].first_use; use != end; ++use) {
    if (use->object == object) return use->source;
  }
  return {};
}

}  // namespace myr::sched
