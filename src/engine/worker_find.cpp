// SPDX-License-Identifier: Apache-2.0
//
// Worker, third part: finding work, and what to do without.
#include "engine/engine.hpp"
#include "engine/worker.hpp"

namespace myr::engine {

using graph::Task;
using trace::State;

namespace {
constexpr unsigned kSpinRounds = 2'000;  // turns without work before a worker sleeps
constexpr unsigned kSpinRoundsOversubscribed = 20;
constexpr unsigned kPausesMax = 32;  // between two turns
// If a look at a busy victim was in vain: each costs it.
constexpr unsigned kPausesLeftAlone = 512;
}  // namespace

constinit thread_local Worker* Worker::current_worker_ = nullptr;

bool Done::operator()() const noexcept {
  switch (kind) {
    case Kind::AllChildren:
      return static_cast<const graph::Interior*>(what)->live() == 0;
    case Kind::Granted:
      return static_cast<const Task*>(what)->waiting.is_zero();
    case Kind::Stopping:
      return static_cast<const Engine*>(what)->stopping();
  }
  return true;
}

Worker::Worker(Engine& engine, std::uint16_t index, graph::Recycler& recycler)
    : engine_(engine),
      recycler_(recycler),
      index_(index),
      observed_(engine.options().measure_time || engine.options().recording != nullptr),
      mark_ticks_(plat::ticks()),
      seen_(engine.options().worker_count) {
  if (trace::Recording* recording = engine.options().recording) {
    timeline_ = recording->timeline(index);
    graph_ = recording->graph(index);
  }
  const bool is_alone = engine.options().worker_count == 1 && graph_ == nullptr;
  spawns_are_calls_ = engine.options().serial || is_alone;
}

void Worker::adopt_thread() {
  current_worker_ = this;
  stack_ = plat::this_thread_stack();
  charge(State::Idle);
}

void Worker::loop() {
  help_until({Done::Kind::Stopping, &engine_});
  before_idle();
}

// Runs other tasks until done() holds; first spins, then sleeps, while there are none.
void Worker::help_until(const Done& done) {
  const unsigned spin_rounds = engine_.oversubscribed() ? kSpinRoundsOversubscribed : kSpinRounds;
  for (unsigned round = 0; !done();) {
    if (Task* task = find(Patience::Some)) {
      check_stack_room(*task);
      run_chain(task);
      round = 0;
      continue;
    }
    if (round == 0) {
      before_idle();
      charge(State::Runtime);
    }
    if (round < spin_rounds) {
      const unsigned few = round < kPausesMax ? round + 1 : kPausesMax;
      const unsigned pauses = left_alone_ ? kPausesLeftAlone : few;
      for (unsigned i = 0; i < pauses; ++i) plat::cpu_relax();
      round += 1;
    } else {
      engine_.fall_asleep();
      sleep(done);
      engine_.wake_up();
      round = 0;  // what it ran or was woken for may leave counts and memory to pass on
    }
    charge(State::Idle);
  }
}

// Sleeps until something changed, unless a last look finds a task or that done() holds.
void Worker::sleep(const Done& done) {
  if (task_ != nullptr) {
    sleep_in_wait(done);
    return;
  }
  sync::EventCount& event = engine_.idle_event();
  event.announce();
  Task* task = done() ? nullptr : find(Patience::None);
  if (task == nullptr && !done()) {
    stats_.parks += 1;
    charge(State::Idle);
    event.wait();
    charge(State::Asleep);
    return;
  }
  event.cancel();
  if (task != nullptr) make_ready(task);
}

void Worker::sleep_in_wait(const Done& done) {
  sync::BroadcastEvent& event = engine_.wait_event();
  const std::uint32_t seen = event.announce();
  Task* task = done() ? nullptr : find(Patience::None);
  if (task == nullptr && !done()) {
    stats_.parks += 1;
    charge(State::Idle);
    event.wait(seen);
    charge(State::Asleep);
  }
  event.leave();
  if (task != nullptr) make_ready(task);
}

// Others may wait for what we have collected.
void Worker::before_idle() {
  while (done_parent_ != nullptr) flush_done();
  recycler_.flush();
}

// A ready task that this worker may run now: any if it waits for nothing, or in main.
Task* Worker::find(Patience patience) {
  if (task_ != nullptr && task_->parent_task() != nullptr) return find_descendant(*task_);
  if (Task* task = take_own()) return task;
  return steal(patience);
}

Task* Worker::take_own() {
  Task* task = ring_.owner_pop();
  return task != nullptr ? task : take_overflow();
}

Task* Worker::own_descendant(const Task& ancestor) {
  if (ancestor.parent_task() == nullptr) return ring_.owner_pop();
  const auto keep = [&](const Task* task) { return task->descends_from(ancestor); };
  const auto pick = ring_.owner_take_if(keep);
  if (pick.item == nullptr || pick.fits) return pick.item;
  make_ready(pick.item);  // it became another task between the look and the claim
  return nullptr;
}

Task* Worker::find_descendant(const Task& ancestor) {
  if (Task* task = own_descendant(ancestor)) return task;
  const unsigned count = engine_.worker_count();
  for (unsigned i = 0; i < count; ++i) {
    // Ourselves last: what own_descendant() does not see is in our overflow list.
    Worker& victim = engine_.worker((index_ + 1 + i) % count);
    if (victim.ready_hint() == 0) continue;
    Task* task = victim.thief_take_descendant(ancestor);
    if (task == nullptr) continue;
    if (!task->descends_from(ancestor)) {
      make_ready(task);  // it became another task between the look and the claim
      continue;
    }
    if (&victim != this) {
      stats_.steals += 1;
      stats_.stolen += 1;
      if (MYR_UNLIKELY(observed_)) observe_steal(victim, 1);
    }
    return task;
  }
  return nullptr;
}

Task* Worker::steal(Patience patience) {
  left_alone_ = false;
  const unsigned count = engine_.worker_count();
  for (unsigned i = 0; i < count; ++i) {
    const unsigned index = (victim_ + i) % count;
    if (index == index_) continue;
    if (Task* task = steal_from(engine_.worker(index), patience)) {
      victim_ = index;
      return task;
    }
  }
  return nullptr;
}

// Moving a small task costs more than running it. So small tasks are taken only from a victim that
// is stuck; one that gets things done will run them itself. Looks at one cache line of the victim,
// not at its queue: each look costs the victim a miss.
bool Worker::should_leave_alone(const Worker& victim) {
  const Progress::Value now = victim.progress_.look();
  if (!now.fine_grained) return false;
  Seen& seen = seen_[victim.index_];
  const std::uint64_t ticks = plat::ticks();
  if (seen.steps != now.steps) {
    seen = {now.steps, ticks};
    return true;
  }
  return ticks - seen.ticks < kPatienceTicks;
}

Task* Worker::steal_from(Worker& victim, Patience patience) {
  if (patience == Patience::Some && should_leave_alone(victim)) {
    left_alone_ = true;
    return nullptr;
  }
  if (victim.ready_hint() == 0) return nullptr;
  Task* tasks[kStealMax];
  const unsigned taken = victim.thief_take(tasks, kStealMax);
  if (taken == 0) return nullptr;
  stats_.steals += 1;
  stats_.stolen += taken;
  if (MYR_UNLIKELY(observed_)) observe_steal(victim, taken);
  for (unsigned i = 0; i < taken; ++i) __builtin_prefetch(tasks[i], 1);  // they are in its cache
  for (unsigned i = taken - 1; i > 0; --i) make_ready(tasks[i]);
  return tasks[0];
}

unsigned Worker::thief_take(Task** out, unsigned max) noexcept {
  const unsigned taken = ring_.thief_take_some(out, max);
  if (taken != 0 || overflow_count_.load(sync::relaxed) == 0) return taken;
  out[0] = take_overflow();
  return out[0] == nullptr ? 0 : 1;
}

Task* Worker::thief_take_descendant(const Task& ancestor) noexcept {
  const auto pick = ring_.take_if([&](const Task* task) { return task->descends_from(ancestor); });
  if (pick.item != nullptr) return pick.item;
  if (overflow_count_.load(sync::relaxed) == 0) return nullptr;
  const std::scoped_lock lock(overflow_lock_);
  for (Task** link = &overflow_; *link != nullptr; link = &(*link)->next) {
    Task* task = *link;
    if (!task->descends_from(ancestor)) continue;
    *link = task->next;
    overflow_count_.fetch_sub(1, sync::relaxed);
    return task;
  }
  return nullptr;
}

void Worker::push_overflow(Task* task) noexcept {
  const std::scoped_lock lock(overflow_lock_);
  task->next = overflow_;
  overflow_ = task;
  overflow_count_.fetch_add(1, sync::relaxed);
}

Task* Worker::take_overflow() noexcept {
  if (overflow_count_.load(sync::relaxed) == 0) return nullptr;
  const std::scoped_lock lock(overflow_lock_);
  Task* task = overflow_;
  if (task == nullptr) return nullptr;
  overflow_ = task->next;
  overflow_count_.fetch_sub(1, sync::relaxed);
  return task;
}

}  // namespace myr::engine
