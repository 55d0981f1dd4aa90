// SPDX-License-Identifier: Apache-2.0
//
// A part of Worker: what a worker does while the running task waits, or when it has no task; and
// on which stack.

#include <utility>

#include "engine/engine.hpp"
#include "engine/suspended.hpp"
#include "engine/worker.hpp"
#include "plat/this_cpu.hpp"

namespace myr::engine {

using graph::Suspended;
using graph::Task;
using trace::State;

namespace {
constexpr unsigned kPausesMax = 32;  // between two turns
constexpr unsigned kBegEvery = 4;    // turns
// How long to look elsewhere after a look at a busy victim was in vain: each costs the victim.
constexpr unsigned kPausesLeftAlone = 512;
// How long small tasks are left to a worker that has stopped making progress.
constexpr std::uint64_t kNapNs = 200'000;
}  // namespace

bool Wait::is_over() const noexcept {
  return waiter != nullptr ? waiter->waiting.is_last() : family.live() == 0;
}

bool Wait::leave(Suspended& suspended) noexcept {
  family.suspended = &suspended;
  if (waiter != nullptr) return !waiter->waiting.count_off();
  const auto elsewhere = static_cast<std::int64_t>(family.spawned - family.finished_here);
  family.finished_here = family.spawned;
  // [graph.children] From here on, the one that counts down the last child resumes the task.
  return family.outstanding.fetch_add(elsewhere, sync::acq_rel) != -elsewhere;
}

// ---- without a task ---------------------------------------------------------------------------

void Worker::loop() {
  serve();
  before_idle();
}

void Worker::serve_on_new_stack(void* worker) {
  auto& self = *static_cast<Worker*>(worker);
  self.serve();
  self.stacks_.go_home();
}

// Runs tasks, and goes back to those whose wait is over, until the engine stops. No task waits
// then, so this is what is on each of the stacks.
void Worker::serve() {
  for (unsigned round = 0; !engine_.stopping();) {
    if (Task* task = std::exchange(handed_, nullptr)) {
      stop_begging();
      Suspended* const caller = std::exchange(caller_, nullptr);
      run_chain(task);
      if (caller != nullptr) go_back_to(*caller);
    } else if (Suspended* waiter = take_resumed()) {
      stop_begging();
      go_back_to(*waiter);
    } else if (Task* found = find(Patience::Some)) {
      stop_begging();
      run_chain(found);
    } else {
      handed_ = rest(round, is_time_to_sleep(round));
      continue;
    }
    round = 0;
  }
}

// Leaves the current stack, with nothing on it but serve(), for that of a task.
void Worker::go_back_to(Suspended& waiter) {
  flush_done_but(nullptr);  // the task may run for long
  stacks_.put_idle();
  stacks_.switch_to(*waiter.stack);
}

// Nothing to run: spins, or sleeps. Returns a task if it found one by its last look. `wait`: what
// may be over meanwhile.
Task* Worker::rest(unsigned& round, bool sleeps, const Wait* wait) {
  if (round == 0) {
    before_idle();
    spin_end_ns_ = plat::now_ns() + engine_.options().spin_ns;
    charge(State::Runtime);
  }
  Task* found = nullptr;
  if (sleeps) {
    if (outside_ != nullptr) beg();
    found = sleep();
    round = 0;  // what it was woken for may leave counts and memory to pass on
  } else {
    const unsigned few = round < kPausesMax ? round + 1 : kPausesMax;
    const unsigned pauses = left_alone_ ? kPausesLeftAlone : few;
    if (round % kBegEvery == kBegEvery - 1) beg();
    for (unsigned i = 0; i < pauses && overflow_count_.load(sync::relaxed) == 0; ++i) {
      plat::cpu_relax();
      if (wait != nullptr && wait->is_over()) break;
    }
    round += 1;
  }
  charge(State::Idle);
  return found;
}

bool Worker::is_time_to_sleep(unsigned round) const noexcept {
  if (engine_.options().spin_ns == 0 || engine_.sleepers().too_many_awake()) return true;
  return round != 0 && plat::now_ns() >= spin_end_ns_;
}

// Sleeps until there is something for this worker, unless a last look finds some. If all that
// there is are small tasks of workers that make progress, it naps, in order to look again whether
// they do: their owners wake nobody for each of them.
Task* Worker::sleep() {
  if (outside_ != nullptr && outside_->waits_alone()) return wait_alone();
  sync::Sleepers& sleepers = engine_.sleepers();
  const bool naps = left_alone_;
  naps ? sleepers.announce_nap(index_) : sleepers.announce(index_);
  Task* task = has_news() ? nullptr : find(naps ? Patience::Some : Patience::None);
  if (task != nullptr || has_news()) {
    if (!sleepers.cancel(index_) && outside_ != nullptr) outside_->pass_wake_on();
    return task;
  }
  stats_.parks += 1;
  if (MYR_UNLIKELY(observed_)) observe_rest();
  const unsigned waker = naps ? sleepers.nap(index_, kNapNs) : sleepers.wait(index_);
  keep_apart(waker);
  charge(State::Asleep);
  return nullptr;
}

Task* Worker::wait_alone() {
  if (Task* task = find(Patience::None)) return task;
  stats_.parks += 1;
  if (MYR_UNLIKELY(observed_)) observe_rest();
  Task* const task = outside_->wait_alone(*this);
  charge(State::Asleep);
  return task;
}

// On a busy machine the kernel wakes a thread on the processor of the one that wakes it, which
// then stands still: the two would take turns on one processor, and other programs have the rest
// (ADR 97). The nodes of a larger machine may be more than the processors, and share them.
void Worker::keep_apart(unsigned waker_cpu) noexcept {
  if (waker_cpu == plat::this_cpu() && outside_ == nullptr) plat::leave_this_cpu();
}

bool Worker::has_news() const noexcept {
  return resumed_ != nullptr || !inbox_.is_empty() || engine_.stopping();
}

// Others may wait for what we have collected.
void Worker::before_idle() {
  flush_done_but(nullptr);
  recycler_.flush();
  trim_memory();
}

// ---- while a task waits -----------------------------------------------------------------------

// Returns when the wait is over. Meanwhile the worker runs children of the waiting task on its
// stack, and leaves it for anything else.
void Worker::help_until(Wait wait) {
  if (MYR_UNLIKELY(bell_ != nullptr)) return sleep_until(wait);
  Suspended self{.worker = this, .stack = &stacks_.current()};
  bool has_left = false;  // others know `self`, and nothing may run on this stack any more
  for (unsigned round = 0; has_left || !wait.is_over();) {
    Suspended* other = take_resumed();
    if (other == &self) break;
    Task* task = other == nullptr ? find(Patience::Some) : nullptr;
    if (other == nullptr && task == nullptr) {
      // Asked once: the answer changes with how many others sleep, and nobody wakes a task whose
      // wait it cannot end.
      const bool sleeps = is_time_to_sleep(round);
      if (!has_left && sleeps) {
        has_left = stacks_.provide_idle();  // for what is found there
        if (has_left && !hand_over(wait, self)) break;
        if (!has_left) nap_here();
        continue;
      }
      task = rest(round, sleeps, has_left ? nullptr : &wait);
      if (task == nullptr) continue;
    }
    round = 0;
    stop_begging();
    if (task != nullptr && !has_left && is_to_run_here(*task)) {
      run_chain(task);
      continue;
    }
    if (!has_left && !hand_over(wait, self)) {
      give_back(other, task);
      break;
    }
    handed_ = task;
    leave_for(other != nullptr ? *other->stack : stacks_.take_idle());
    break;
  }
  stop_begging();
  wait.family.suspended = nullptr;
}

// There is no stack left on which to go on with other work. The task that naps on this one may wait
// for tasks whose ends others count off only when they see those that have ended here.
void Worker::nap_here() {
  before_idle();
  plat::nap();
}

// From here on, others may end the wait. Counts off first what has ended here: while the task is
// the running one, a child of it that retires counts as its own thread's, and nobody would see
// that. False: the wait is over.
bool Worker::hand_over(Wait& wait, Suspended& self) {
  flush_done_but(nullptr);
  return wait.leave(self);
}

// A guest's thread runs no tasks: it is none of the workers that programs count.
void Worker::sleep_until(Wait wait) {
  Suspended self{.worker = this, .stack = nullptr};
  if (!wait.is_over() && wait.leave(self)) {
    while (take_resumed() != &self) {
      bell_->announce();
      if (inbox_.is_empty()) {
        bell_->wait();
      } else {
        bell_->cancel();
      }
    }
  }
  wait.family.suspended = nullptr;
}

// Is a task that was found while another waits to run on the stack of that one? If not, an idle
// stack is there for it.
//
// On its own stack a task could not go on before strangers have ended, so it has only its children
// run there. But that is not needed to be right: whatever lies on a stack, or waits, only needs
// what began later. So without another stack, anything may run.
bool Worker::is_to_run_here(const Task& task) {
  const bool has_room = stacks_.has_room();
  if (has_room && task.parent == task_) return true;
  const bool may_leave = has_room || full_stacks_ < Stacks::kFullMax;
  if (may_leave && stacks_.provide_idle()) return false;
  if (!has_room) report_no_stack(task);
  return true;
}

void Worker::give_back(Suspended* resumed, Task* task) {
  if (resumed != nullptr) {
    resumed->next = resumed_;
    resumed_ = resumed;
  }
  if (task != nullptr) put_back(task);
}

void Worker::leave_for(plat::Fiber& next) {
  Task* const task = std::exchange(task_, nullptr);
  const bool is_full = !stacks_.has_room();
  full_stacks_ += is_full ? 1 : 0;
  if (MYR_UNLIKELY(timeline_ != nullptr)) {
    const auto open = timeline_->end_all(plat::ticks());
    stacks_.switch_to(next);
    timeline_->begin_again(plat::ticks(), open);
  } else {
    stacks_.switch_to(next);
  }
  full_stacks_ -= is_full ? 1 : 0;
  task_ = task;
}

// Calls a task that has no room on the current stack.
void Worker::run_on_other_stack(Task* task) {
  if (full_stacks_ >= Stacks::kFullMax || !stacks_.provide_idle()) report_no_stack(*task);
  Suspended self{.worker = this, .stack = &stacks_.current()};
  handed_ = task;
  caller_ = &self;
  leave_for(stacks_.take_idle());
}

void Worker::resume(Suspended& waiter) {
  if (waiter.worker != this) return waiter.worker->call_back(waiter);
  waiter.next = resumed_;
  resumed_ = &waiter;
}

// The wait of a task that this worker has left is over. Any thread.
void Worker::call_back(Suspended& waiter) {
  inbox_.any_push_chain(&waiter, &waiter);
  if (bell_ != nullptr) {
    bell_->post(1);
  } else {
    engine_.sleepers().post_to(index_);
  }
}

Suspended* Worker::take_resumed() noexcept {
  if (resumed_ == nullptr) resumed_ = inbox_.owner_take_all();
  Suspended* first = resumed_;
  if (first != nullptr) resumed_ = first->next;
  return first;
}

}  // namespace myr::engine
