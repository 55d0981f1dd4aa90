// SPDX-License-Identifier: Apache-2.0
//
// A part of Worker: finding work.
#include "engine/engine.hpp"
#include "engine/observer.hpp"
#include "engine/task_fault.hpp"
#include "engine/worker.hpp"
#include "plat/task_stack.hpp"

namespace myr::engine {

using graph::Task;
using trace::State;

constinit thread_local Worker* Worker::current_worker_ = nullptr;

Worker::Worker(Engine& engine, std::uint16_t index, graph::Recycler& recycler)
    : engine_(engine),
      recycler_(recycler),
      outside_(engine.node_of(index)),
      index_(index),
      observed_(engine.options().measure_time || engine.options().recording != nullptr ||
                engine.options().checker != nullptr || observer != nullptr),
      mark_ticks_(plat::ticks()),
      nearest_(index < engine.options().worker_count ? engine.pins().nearest(index)
                                                     : std::vector<std::uint16_t>()),
      seen_(base::make_zeroed<Seen>(engine.options().worker_count + engine.options().guests_max)),
      stacks_(serve_on_new_stack, this, engine.options().stacks_max) {
  const bool is_guest = index >= engine.options().worker_count;
  if (trace::Recording* recording = engine.options().recording; recording != nullptr && !is_guest) {
    timeline_ = recording->timeline(
        outside_ == nullptr ? index : outside_->first_track() + index % engine.workers_of_node());
    graph_ = recording->graph(index);
    records_graph_ = graph_ != nullptr;
    if (records_graph_) recycler_.log_joins();
  }
  if (engine.options().measure_time && !is_guest) lines_ = std::make_unique<LineTimes>();
  queues_all_ = records_graph_ || !is_called_directly_;
  const bool is_alone = engine.options().worker_count == 1 && graph_ == nullptr;
  if (is_guest) {
    // Where main is the only worker, nobody else is sure to run them.
    const bool is_main_alone = engine.options().worker_count == 1 && engine.options().has_main;
    const bool runs_own = engine.options().serial || is_main_alone;
    spawning_ = runs_own ? Spawning::Calls : Spawning::Others;
    if (spawning_ == Spawning::Others) bell_ = std::make_unique<sync::EventCount>();
    progress_.set_fine_grained(false);  // thieves need not wait until it stands still
  } else if (engine.options().serial) {
    spawning_ = Spawning::Calls;
  } else if (engine.options().chaos) {
    spawning_ = Spawning::Chaos;
    chaos_.emplace(base::Dice(*engine.options().chaos, index));
  } else {
    const bool is_only_one = outside_ != nullptr && engine.workers_of_node() == 1;
    spawning_ = is_alone ? Spawning::Calls : is_only_one ? Spawning::Shares : Spawning::Queues;
  }
}

void Worker::tell_full_stack(const void* worker, const plat::StackOverflow& overflow) noexcept {
  const Task* const task = static_cast<const Worker*>(worker)->task_;
  plat::tell_full_task_stack(task == nullptr ? nullptr : task->site, overflow);
}

void Worker::tell_fault_in_task(const void* worker, const plat::Fault& fault) noexcept {
  Task* const task = static_cast<const Worker*>(worker)->task_;
  if (task != nullptr && task->parent != nullptr) tell_fault(*task, fault);
}

void Worker::adopt_thread() {
  take_context();
  stacks_.adopt_thread();
  plat::watch_stack({.stack = &stacks_.bounds(),
                     .tell = tell_full_stack,
                     .tell_fault = tell_fault_in_task,
                     .who = this});
  if (outside_ != nullptr) outside_->adopt_thread(*this);
  charge(State::Idle);
}

// Any ready task: the highest of those with a priority, or the newest of its own, or one that has
// come from outside, or the oldest of another worker.
Task* Worker::find(Patience patience) {
  if (MYR_UNLIKELY(chaos_.has_value())) return find_at_random();
  if (Task* task = take_own()) return task;
  if (MYR_UNLIKELY(in_arenas_ != 0)) {
    if (Task* task = take_common()) return task;
  }
  if (MYR_UNLIKELY(outside_ != nullptr)) {
    if (Task* task = outside_->take(*this)) return task;
  }
  return steal(patience);
}

// A task that was found is not begun. What came from outside stays with its node.
void Worker::put_back(Task* task) {
  const bool has_come = (task->flags & graph::kSpread) != 0;
  if (!has_come || !outside_->put_back(*task)) make_ready(task);
}

Task* Worker::take_own() {
  if (MYR_UNLIKELY(engine_.common().has_some())) {
    if (Task* task = take_common()) return task;
  }
  if (Task* task = ring_.owner_pop()) return task;
  least_depth_ = kNoDepth;
  return take_overflow();
}

Task* Worker::steal(Patience patience) {
  const std::uint64_t now = plat::ticks();
  left_alone_ = false;
  const bool probes = probes_.may_begin(now);
  const unsigned count = engine_.queue_count();
  for (unsigned i = 0; i < count; ++i) {
    const unsigned index = victim_at(i, count);
    if (index == index_) continue;
    Worker& victim = engine_.worker(index);
    const bool is_left_alone = patience == Patience::Some && should_leave_alone(victim);
    left_alone_ |= is_left_alone;
    if (is_left_alone && !probes) continue;
    if (patience == Patience::Some && should_leave_placed(victim, now)) continue;
    if (Task* task = is_left_alone ? probe(victim, now) : steal_from(victim)) {
      victim_ = index;
      return task;
    }
  }
  if (probes && left_alone_) probes_.put_off(now);
  return nullptr;
}

// Which workers to visit in which order: first the one that had something last time, or else, where
// workers have processors of their own, the nearest. Guests come last then.
unsigned Worker::victim_at(unsigned place, unsigned count) const noexcept {
  if (MYR_LIKELY(nearest_.empty())) return (victim_ + place) % count;
  return place < nearest_.size() ? nearest_[place] : place;
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

// A task that was placed at a worker that looks for work is about to be taken by it, and its data
// is there. If it is not taken soon, that worker stands still.
bool Worker::should_leave_placed(const Worker& victim, std::uint64_t now) {
  std::uint64_t& since = seen_[victim.index_].placed_ticks;
  if (victim.overflow_count_.load(sync::relaxed) == 0 || !victim.begs()) {
    since = 0;
    return false;
  }
  if (since == 0) since = now;
  return now - since < kPatienceTicks;
}

Task* Worker::steal_from(Worker& victim) {
  return victim.ready_hint() == 0 ? nullptr : steal_some(victim, kStealMax);
}

// Takes the oldest task of a worker that is else left alone: it may have many below it.
Task* Worker::probe(Worker& victim, std::uint64_t now) {
  Task* const task = steal_some(victim, 1);
  if (task != nullptr) probes_.begin(now);
  return task;
}

Task* Worker::steal_some(Worker& victim, unsigned max) {
  Task* tasks[kStealMax];
  const unsigned taken = victim.thief_take(tasks, max);
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
  if (taken != 0) return taken;
  out[0] = take_old_overflow();
  return out[0] == nullptr ? 0 : 1;
}

Task* Worker::thief_take_at(std::uint32_t place) noexcept {
  Task* task = ring_.thief_take_at(place);
  return task != nullptr ? task : take_overflow();
}

const char* Worker::broken_invariant() const {
  const bool has_overflow = overflow_ != nullptr || overflow_count_.load(sync::relaxed) != 0;
  const bool has_next = next_ != nullptr || joins_ != nullptr || handed_ != nullptr;
  if (!ring_.is_empty() || has_overflow || has_next) return "a ready task has not run";
  if (resumed_ != nullptr || !inbox_.is_empty()) return "a task whose wait is over has not gone on";
  if (done_count_ != 0) return "children have ended whose parents do not know";
  if (in_arenas_ != 0) return "an arena has a worker in it";
  const graph::Interior* const family = task_ == nullptr ? nullptr : task_->interior;
  const char* const broken = family == nullptr ? nullptr : family->broken_invariant();
  return broken != nullptr ? broken : recycler_.pool().broken_invariant();
}

void Worker::push_overflow(Task* task) noexcept {
  const std::scoped_lock lock(overflow_lock_);
  task->next = overflow_;
  overflow_ = task;
  overflow_count_.fetch_add(1, sync::relaxed);
}

// The owner is at the newest of a loop's parts that were placed here. The oldest is the farthest
// from what its cache holds, and lies next to the parts of another worker.
Task* Worker::take_old_overflow() noexcept {
  if (overflow_count_.load(sync::relaxed) == 0) return nullptr;
  const std::scoped_lock lock(overflow_lock_);
  if (overflow_ == nullptr) return nullptr;
  Task** place = &overflow_;
  for (unsigned i = 0; i < kOldest && (*place)->next != nullptr; ++i) place = &(*place)->next;
  Task* const task = *place;
  *place = task->next;
  overflow_count_.fetch_sub(1, sync::relaxed);
  return task;
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
