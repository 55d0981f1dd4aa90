// SPDX-License-Identifier: Apache-2.0
#include "engine/urgent_tasks.hpp"

#include <algorithm>

#include "graph/interior.hpp"

namespace myr::engine {

void UrgentTasks::push(graph::Task* task) {
  const std::scoped_lock lock(lock_);
  heap_.push_back({task->interior->priority, turns_++, task});
  std::push_heap(heap_.begin(), heap_.end());
  count_.store(static_cast<std::uint32_t>(heap_.size()), sync::relaxed);
}

graph::Task* UrgentTasks::pop() {
  if (!has_some()) return nullptr;
  const std::scoped_lock lock(lock_);
  if (heap_.empty()) return nullptr;
  std::pop_heap(heap_.begin(), heap_.end());
  graph::Task* const task = heap_.back().task;
  heap_.pop_back();
  count_.store(static_cast<std::uint32_t>(heap_.size()), sync::relaxed);
  return task;
}

}  // namespace myr::engine
