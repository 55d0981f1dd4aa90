// SPDX-License-Identifier: Apache-2.0
//
// A part of Worker: for tasks that go to the outside of the engine, or come from there.
#include <utility>

#include "engine/engine.hpp"
#include "engine/suspended.hpp"
#include "engine/worker.hpp"

namespace myr::engine {

using graph::Interior;
using graph::Task;

// It has an interior from now on, so that its end takes the path on which it is told.
void Worker::accept(Task& task) {
  if (task.interior == nullptr) recycler_.attach_interior(task);
}

std::uint64_t Worker::adopt_unmade(std::size_t count) {
  if (task_->interior == nullptr) recycler_.attach_interior(*task_);
  task_->interior->spawned += count;
  charge(trace::State::Task);
  const std::uint64_t first = stats_.spawned;
  stats_.spawned = first + count;
  return first;
}

void Worker::begin_from(graph::Suspended& home, Task& task) {
  if (!stacks_.provide_idle()) report_no_stack(task);
  handed_ = &task;
  caller_ = &home;
  stacks_.switch_to(stacks_.take_idle());
}

Task* Worker::draft_waiter(const myr_site* site) {
  Task* waiter = draft(0, 0);
  waiter->site = site;
  waiter->set(graph::kWaiter);
  waiter->parent = task_;
  waiter->order = stats_.spawned;
  if (task_->interior == nullptr) recycler_.attach_interior(*task_);
  waiter->waiting.start();
  waiter->waiting.commit_held(1);
  return waiter;
}

void Worker::end_wait(Task& waiter) {
  if (!waiter.waiting.count_off()) return;
  graph::Suspended& suspended = *waiter.parent->interior->suspended;
  suspended.worker->call_back(suspended);
}

void Worker::help_until_over(Task* waiter) {
  charge(trace::State::Task);
  help_until({*task_->interior, waiter});
  discard(*waiter);
  charge(trace::State::Runtime);
}

void Worker::discard(Task& task) {
  static_cast<void>(task.successors.complete_unshared());
  recycler_.recycle(&task);
}

// The children elsewhere come behind those here that come before the wait, and before those behind
// it.
void Worker::add_failure(const Task& waiter, base::Failure failure) {
  record_failure(waiter.parent, new graph::Failure{2 * waiter.order, std::move(failure)});
}

std::optional<base::Failure> Worker::take_failure_of(Task& task) {
  if (task.interior == nullptr) return {};
  if (task.interior->failure.load(sync::relaxed) == nullptr) return {};
  // [graph.failure]
  const std::unique_ptr<graph::Failure> taken(
      task.interior->failure.exchange(nullptr, sync::acq_rel));
  return std::move(taken->what);
}

bool Worker::has_failure(const Task& task) {
  return task.interior != nullptr && task.interior->failure.load(sync::relaxed) != nullptr;
}

// The children of the task are spread, so its end is told before theirs. The last of them may
// retire it from another node, which then does not tell: so it is told here, and not before it is
// certain who retires it. One that is told of the end of all of them finds their failures
// above.
void Worker::end_spreader(Task* task) {
  Interior& family = *task->interior;
  const Outside::Ended ended = outside_->body_ended(*this, *task, __builtin_frame_address(0));
  task->unset(graph::kSpread);
  const auto elsewhere = static_cast<std::int64_t>(family.spawned - family.finished_here);
  // [graph.children] From here on, the one that counts down the last child retires the task.
  if (family.outstanding.fetch_add(elsewhere, sync::acq_rel) == -elsewhere) retire(task);
  flush_done_but(nullptr);
  ended.node->tell_ended(*this, ended.task);
}

}  // namespace myr::engine
