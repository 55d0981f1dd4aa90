// SPDX-License-Identifier: Apache-2.0
//
// A part of Worker: tasks that the call which spawns them does not run, nor any other; and
// waits that may be given up.

#include <algorithm>

#include "engine/checker.hpp"
#include "engine/engine.hpp"
#include "engine/suspended.hpp"
#include "engine/worker_calls.hpp"
#include "graph/linker.hpp"
#include "graph/task_arena.hpp"

namespace myr::engine {

using graph::Suspended;
using graph::Task;
using graph::TaskArena;
using graph::TaskRef;
using trace::State;

// ---- tasks for later ----------------------------------------------------------------------------

// Under a checker the serial program runs, in its own order.
void Worker::submit_later(const myr_draft& draft, const myr_two_bodies& bodies,
                          std::size_t last_count, const myr_site* site) {
  if (engine_.options().checker != nullptr) {
    return ThreadContext::submit_later(draft, bodies, last_count, site);
  }
  auto* const task = static_cast<Task*>(draft.task);
  if (last_count == 0 || spawning_ == Spawning::Calls) {
    task->body = bodies.whole;
    task->site = site;
    adopt_child(task);
    leave_for_later(task, link_child(task));
    return;
  }
  if (MYR_UNLIKELY(observed_)) check_first(*task, bodies.whole, site);
  Task* const first = split(*task, bodies, last_count, site);
  const TaskRef before = TaskArena::ref(first);
  adopt_child(first);
  leave_for_later(first, link_one_of_two(first, {}));
  adopt_child(task);
  leave_for_later(task, link_one_of_two(task, before));
}

// Where all other tasks are called, those that have it for a sibling are ordered like it, and not
// called if they must wait for it.
void Worker::leave_for_later(Task* task, bool is_ready) {
  has_later_ = spawning_ == Spawning::Calls;
  if (is_ready) {
    make_ready(task);
    // Small ones, too, which make_ready() leaves to their spawner while that makes progress.
    if (progress_.is_fine_grained()) engine_.sleepers().post();
  }
  charge(State::Runtime);
}

void Worker::call_among_later(Task* task) {
  if (link_child(task)) run_ready(task);
  charge(State::Runtime);
}

// Where tasks are called, a wait begins with those that were left for later, in their order.
void Worker::run_later_ones() {
  Task* first = nullptr;
  while (Task* const task = take_below()) {
    task->next = first;
    first = task;
  }
  while (first != nullptr) {
    Task* const task = first;
    first = task->next;  // read first: its memory is another's once it has run
    run_ready(task);
  }
}

// The newest ready task of the queue, if it lies below the running one. Others may hide it.
Task* Worker::take_below() {
  const auto is_below = [this](const Task& task) { return task.depth > task_->depth; };
  if (Task* const task = take_overflow()) {
    if (is_below(*task)) return task;
    push_overflow(task);
  }
  if (Task* const task = ring_.owner_pop()) {
    if (is_below(*task)) return task;
    make_ready(task);
  }
  return nullptr;
}

// A ready task from below, and what it makes ready.
void Worker::run_ready(Task* task) {
  if (stacks_.has_room() && may_lie_here(*task)) {
    run_chain(task);
  } else {
    run_on_other_stack(task);
  }
}

// ---- questions ----------------------------------------------------------------------------------

bool Worker::wait_for(std::uint64_t timeout_ns, const myr_access* accesses, std::size_t count,
                      const myr_site* site) {
  if (Checker* const checker = engine_.options().checker) {
    checker->asked(site);
    return ThreadContext::wait_for(timeout_ns, accesses, count, site);
  }
  charge(State::Task);
  const DraftedWaiter waiter(*this, accesses, count, site);
  check_accesses(waiter.task);
  charge(State::Runtime);
  const std::uint64_t now = plat::now_ns();
  const std::uint64_t end = now + std::min(timeout_ns, ~now);
  do {
    if (is_granted(*waiter.task)) return true;
    if (help_once()) continue;
    before_idle();  // of a question, too: one that asks in a loop may wait for what that passes on
    if (timeout_ns == 0) break;
    plat::nap();
    charge(State::Idle);
  } while (plat::now_ns() < end);
  return is_granted(*waiter.task);
}

bool Worker::is_granted(Task& waiter) {
  if (task_->interior == nullptr || task_->interior->live() == 0) return true;
  complete_domain();
  return !graph::has_open_conflict(*task_->interior, waiter, recycler_, engine_.space());
}

// Does something that a question may wait for: goes on with a task that this worker has left, or
// runs another, which main leaves to others where there are any. The running task goes on when that
// ends, waits or asks. False: there is nothing.
bool Worker::help_once() {
  if (bell_ != nullptr) return false;  // a guest's thread runs no tasks
  // In turns: tasks that ask again and again come back to each other, and to what they ask for.
  goes_on_first_ = !goes_on_first_;
  Suspended* other = goes_on_first_ ? take_resumed() : nullptr;
  Task* const task = other == nullptr ? find_for_question() : nullptr;
  if (other == nullptr && task == nullptr) other = take_resumed();
  if (other == nullptr && task == nullptr) return false;
  if (task != nullptr) {
    if (is_to_run_here(*task)) {
      run_chain(task);
      return true;
    }
    handed_ = task;
  }
  Suspended self{.worker = this, .stack = &stacks_.current()};
  flush_done_but(nullptr);
  inbox_.any_push_chain(&self, &self);
  leave_for(other != nullptr ? *other->stack : stacks_.take_idle());
  return true;
}

// Main takes the oldest, so that what is asked for is reached, however many are spawned
// meanwhile.
Task* Worker::find_for_question() {
  if (task_->parent != nullptr) return find(Patience::Some);
  if (!is_only_worker() && in_arenas_ == 0) return nullptr;
  Task* oldest = nullptr;
  return thief_take(&oldest, 1) != 0 ? oldest : find(Patience::Some);
}

bool Worker::is_only_worker() const noexcept {
  return engine_.options().worker_count == 1 ||
         (outside_ != nullptr && engine_.workers_of_node() == 1);
}

}  // namespace myr::engine
