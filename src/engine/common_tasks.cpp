// SPDX-License-Identifier: Apache-2.0
#include "engine/common_tasks.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "graph/interior.hpp"

namespace myr::engine {

using graph::Task;
using Next = ReadyHeap::Next;

void CommonTasks::push(Task* task) {
  const std::scoped_lock lock(lock_);
  urgent_.push(task, Next::Oldest);
  count();
}

std::vector<unsigned> CommonTasks::push(Task* task, Arena& arena, unsigned worker) {
  const std::scoped_lock lock(lock_);
  if (task->interior->has_begun) end_locked(arena, worker);
  task->interior->has_begun = false;
  if (arena.ready_.size() == 0) arenas_.push_back(&arena);
  arena.ready_.push(task, Next::Newest);
  count();
  std::vector<unsigned> told;
  if (!arena.is_full()) return told;
  for (unsigned i = 0; i < arena.begun_.size(); ++i) {
    if (arena.begun_[i] != 0) told.push_back(i);
  }
  return told;
}

Task* CommonTasks::pop(unsigned worker) {
  const std::scoped_lock lock(lock_);
  Task* const task = pop_locked(worker);
  if (task != nullptr) count();
  return task;
}

Task* CommonTasks::pop_locked(unsigned worker) {
  if (urgent_.size() != 0) return urgent_.pop();
  const auto open = std::find_if(arenas_.begin(), arenas_.end(),
                                 [&](const Arena* arena) { return arena->admits(worker); });
  if (open == arenas_.end()) return nullptr;
  Arena& arena = **open;
  Task* const task = arena.ready_.pop();
  if (arena.ready_.size() == 0) arenas_.erase(open);
  arena.ready_count_.store(arena.ready_.size(), sync::relaxed);
  begin_locked(arena, worker);
  task->interior->has_begun = true;
  return task;
}

void CommonTasks::begin(Arena& arena, unsigned worker) {
  const std::scoped_lock lock(lock_);
  begin_locked(arena, worker);
  count();
}

bool CommonTasks::end(Arena& arena, unsigned worker) {
  const std::scoped_lock lock(lock_);
  end_locked(arena, worker);
  count();
  return arena.ready_.size() != 0 && !arena.is_full();
}

void CommonTasks::begin_locked(Arena& arena, unsigned worker) {
  if (arena.begun_[worker]++ != 0) return;
  arena.workers_.store(arena.workers_.load(sync::relaxed) + 1, sync::relaxed);
}

void CommonTasks::end_locked(Arena& arena, unsigned worker) {
  MYR_ASSERT(arena.begun_[worker] != 0);
  if (--arena.begun_[worker] != 0) return;
  arena.workers_.store(arena.workers_.load(sync::relaxed) - 1, sync::relaxed);
}

void CommonTasks::count() {
  std::uint32_t sum = urgent_.size();
  for (Arena* arena : arenas_) {
    arena->ready_count_.store(arena->ready_.size(), sync::relaxed);
    if (!arena->is_full()) sum += arena->ready_.size();
  }
  count_.store(sum, sync::relaxed);
}

}  // namespace myr::engine
