// SPDX-License-Identifier: Apache-2.0
//
// A part of Worker: arenas, which limit how many workers run some tasks.
#include <algorithm>
#include <utility>

#include "engine/engine.hpp"
#include "engine/worker.hpp"

namespace myr::engine {

using graph::Task;

bool Worker::is_in_arena() const noexcept {
  return task_->interior != nullptr && task_->interior->arena != nullptr;
}

Arena& Worker::arena() const noexcept { return static_cast<Arena&>(*task_->interior->arena); }

// A guest's thread runs no tasks, so it is none of those that are limited.
std::shared_ptr<base::Arena> Worker::enter_arena(unsigned workers) {
  if (spawning_ == Spawning::Calls) return {};
  if (task_->interior == nullptr) recycler_.attach_interior(*task_);
  auto arena = std::make_shared<Arena>(std::max(workers, 1U), engine_.worker_count());
  if (bell_ == nullptr) {
    engine_.common().begin(*arena, index_);
    in_arenas_ += 1;
  }
  return std::exchange(task_->interior->arena, std::move(arena));
}

void Worker::leave_arena(std::shared_ptr<base::Arena> before) {
  if (spawning_ == Spawning::Calls) return;
  if (bell_ == nullptr) come_out_of(arena());
  task_->interior->arena = std::move(before);
}

void Worker::come_out_of(Arena& arena) {
  in_arenas_ -= 1;
  if (engine_.common().end(arena, index_)) engine_.sleepers().post();
}

// What the running task spawns is of its arena.
void Worker::take_into_arena(Task& task) {
  task.set(graph::kUrgent);
  if (task.interior == nullptr) recycler_.attach_interior(task);
  task.interior->arena = task_->interior->arena;
}

void Worker::make_ready_in_arena(Task* task) {
  auto& arena = static_cast<Arena&>(*task->interior->arena);
  if (task->interior->has_begun) in_arenas_ -= 1;
  const std::vector<unsigned> told = engine_.common().push(task, arena, index_);
  for (const unsigned worker : told) engine_.sleepers().post_to(worker);
  if (told.empty()) engine_.sleepers().post();
}

Task* Worker::take_common() {
  Task* const task = engine_.common().pop(index_);
  if (task != nullptr && task->interior->has_begun) in_arenas_ += 1;
  return task;
}

// The body of a task that one of its arena's workers has run has returned.
void Worker::end_in_arena(graph::Interior& family) {
  family.has_begun = false;
  come_out_of(static_cast<Arena&>(*family.arena));
}

}  // namespace myr::engine
