// SPDX-License-Identifier: Apache-2.0
//
// A part of Worker: tasks that events hold open.
#include "engine/held_task.hpp"

#include <limits>
#include <utility>

#include "base/refusal.hpp"
#include "engine/engine.hpp"
#include "engine/worker.hpp"

namespace myr::engine {

using graph::Task;

// Any thread: the body has returned, and its worker has let go of the task.
void HeldTask::completed() { engine_.end_soon(task_); }

// Makes it ready once more, with nothing left to do: so the worker that takes it ends it.
void Engine::end_soon(Task& task) {
  task.body = [](void*, const myr_access*) {};
  task.unset(graph::kPlainFunction);
  task.set(graph::kUrgent);
  task.interior->priority = std::numeric_limits<int>::max();
  common_.push(&task);
  sleepers_.post();
}

std::uint64_t Worker::new_event(const myr_site* site) {
  if (task_->parent == nullptr) {
    base::refuse(site, "an event outside of a task: there is no task that it could hold open");
  }
  if (task_->interior == nullptr) recycler_.attach_interior(*task_);
  std::unique_ptr<sync::EventHolder>& held = task_->interior->held;
  if (held == nullptr) held = std::make_unique<HeldTask>(engine_, *task_);
  if (Checker* const checker = engine_.options().checker) checker->made_event();
  return sync::Events::instance().open(*held, site);
}

sync::EventHolder* Worker::event_holder() {
  return task_->interior == nullptr ? nullptr : task_->interior->held.get();
}

// The body has returned, perhaps for the second time. True: events are open; the task ends when
// they are completed.
bool Worker::is_held(Task* task) {
  graph::Interior& family = *task->interior;
  sync::Events& events = sync::Events::instance();
  // No task that goes on behind it calls what came from outside, except on a serial engine; and its
  // children may be about to come here, too.
  const bool is_called = engine_.options().serial || (task->flags & graph::kSpread) == 0;
  if ((task->flags & graph::kSpread) != 0 && outside_->has_spread(*task) &&
      events.is_open(*family.held)) {
    Task* const outer = std::exchange(task_, task);
    outside_->await_spread(*this, *task, __builtin_frame_address(0));
    task_ = outer;
  }
  if (spawning_ == Spawning::Calls && is_called) {
    events.await(*family.held);  // what comes next in the serial program may need the task's end
  } else {
    // The second time is on another stack.
    if (family.lends_stack && family.live() != 0) {
      check_lent_stack(*task, __builtin_frame_address(0));
    }
    family.lends_stack = false;
    if (events.leave(*family.held)) {
      stats_.ran -= 1;   // it counts when it ends
      changeable_ = {};  // which relies on that count
      return true;
    }
  }
  if (base::Exception failure = events.take_failure(*family.held)) {
    record_failure(task->parent,
                   new graph::Failure{2 * task->order + 1, {std::move(failure), task->site}});
  }
  family.held.reset();
  return false;
}

}  // namespace myr::engine
