// SPDX-License-Identifier: Apache-2.0
//
// Queues of ready tasks, and the memory of tasks.
#include <new>

#include "graph/task_arena.hpp"
#include "omp/task.hpp"
#include "omp/team.hpp"

namespace myr::omp {

void TaskQueue::push(Task* task) noexcept {
  const Lock lock(lock_);
  Task* before = newest_;
  // The newest of the highest priority is taken first.
  while (MYR_UNLIKELY(before != nullptr && before->priority > task->priority)) {
    before = before->before;
  }
  Task* next = before != nullptr ? before->next : oldest_;
  task->before = before;
  task->next = next;
  (before != nullptr ? before->next : oldest_) = task;
  (next != nullptr ? next->before : newest_) = task;
  count_.store(count_.load(sync::relaxed) + 1, sync::relaxed);
}

void TaskQueue::push_all(Task* const* tasks, unsigned count) noexcept {
  const Lock lock(lock_);
  for (unsigned i = 0; i < count; ++i) {
    tasks[i]->before = newest_;
    tasks[i]->next = nullptr;
    (newest_ != nullptr ? newest_->next : oldest_) = tasks[i];
    newest_ = tasks[i];
  }
  count_.store(count_.load(sync::relaxed) + count, sync::relaxed);
}

void TaskQueue::unlink(Task* task) noexcept {
  (task->before != nullptr ? task->before->next : oldest_) = task->next;
  (task->next != nullptr ? task->next->before : newest_) = task->before;
  count_.store(count_.load(sync::relaxed) - 1, sync::relaxed);
}

Task* TaskQueue::find(const Task* ancestor, bool newest_first, Look look) const noexcept {
  const auto behind = [newest_first](Task* task) -> Task* {
    if (newest_first) return task->before;
    return task->next;
  };
  Task* task = oldest_;
  if (newest_first) task = newest_;
  if (ancestor == nullptr) return task;
  unsigned left = look == Look::Quick ? kQuick : ~0U;
  while (task != nullptr && !is_below(task, ancestor)) {
    task = --left == 0 ? nullptr : behind(task);
  }
  return task;
}

Task* TaskQueue::take(const Task* ancestor, Look look) noexcept {
  if (count() == 0) return nullptr;
  const Lock lock(lock_);
  Task* task = find(ancestor, true, look);
  if (task != nullptr) unlink(task);
  return task;
}

Stolen TaskQueue::steal(TaskQueue& thief, const Task* ancestor, Look look) noexcept {
  if (count() == 0) return {};
  if (look == Look::Whole) {
    lock_.lock();
  } else if (!lock_.try_lock()) {
    return {};
  }
  Task* taken[kStealMax];
  unsigned taken_count = 0;
  const bool has_priorities = settings.priority_max != 0;
  if (ancestor != nullptr || has_priorities) {
    taken[0] = find(ancestor, has_priorities, look);
    if (taken[0] != nullptr) unlink(taken[taken_count++]);
  } else {
    const std::uint32_t half = (count() + 1) / 2;
    while (oldest_ != nullptr && taken_count < half && taken_count < kStealMax) {
      taken[taken_count++] = oldest_;
      unlink(oldest_);
    }
  }
  lock_.unlock();
  if (taken_count == 0) return {};
  if (taken_count > 1) thief.push_all(taken + 1, taken_count - 1);
  return {taken[0], taken_count};
}

std::byte* TaskPool::carve(std::size_t bytes) {
  if (chunk_left_ < bytes) {
    chunk_ = graph::TaskArena::take_chunk();
    if (chunk_ == nullptr) fail("Out of memory: there are too many tasks at once");
    chunk_left_ = graph::TaskArena::kChunkBytes;
  }
  std::byte* block = chunk_;
  chunk_ += bytes;
  chunk_left_ -= bytes;
  return block;
}

Task* TaskPool::take(std::size_t bytes) {
  unsigned size_class = 1;
  while (size_class + 1 < kClasses && kBytes[size_class] < bytes) ++size_class;
  if (MYR_UNLIKELY(free_[size_class] == nullptr)) take_returned();
  Task* task = free_[size_class];
  if (MYR_LIKELY(task != nullptr)) {
    free_[size_class] = task->next;
    return task;
  }
  task = new (carve(kBytes[size_class])) Task;
  task->size_class = static_cast<std::uint8_t>(size_class);
  return task;
}

EdgeBlock* TaskPool::take_edges() {
  if (edges_ == nullptr) return new (carve(sizeof(EdgeBlock))) EdgeBlock;
  EdgeBlock* block = edges_;
  edges_ = block->next;
  return block;
}

void TaskPool::give_back(Task* first, Task* last) noexcept {
  Task* head = returned_.load(sync::relaxed);
  do {
    last->next = head;
    // [omp.returned] The owner sees the links.
  } while (!returned_.compare_exchange_weak(head, first, sync::release, sync::relaxed));
}

void TaskPool::take_returned() noexcept {
  Task* task = returned_.exchange(nullptr, sync::acquire);  // [omp.returned]
  while (task != nullptr) {
    Task* next = task->next;
    recycle(task);
    task = next;
  }
}

}  // namespace myr::omp
