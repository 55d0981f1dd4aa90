// SPDX-License-Identifier: Apache-2.0
//
// A part of Worker: running tasks and what happens when they end.

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "engine/engine.hpp"
#include "engine/worker_calls.hpp"
#include "graph/replay_node.hpp"
#include "graph/task_arena.hpp"
#include "plat/task_stack.hpp"
#include "sync/cancelled_regions.hpp"

namespace myr::engine {

using graph::Failure;
using graph::Granule;
using graph::Interior;
using graph::Linker;
using graph::Task;
using graph::TaskArena;

void Worker::run_chain(Task* task) {
  if (MYR_UNLIKELY(spawning_ == Spawning::Chaos)) return run_in_chaos(task);
  do {
    run(task);
    task = take_next();
  } while (task != nullptr);
}

// The most urgent one of a ready task and those with a priority.
Task* Worker::most_urgent(Task* task) {
  make_ready(task);
  Task* const next = take_own();
  if (MYR_LIKELY(next == nullptr || may_lie_here(*next))) return next;
  make_ready(next);
  return nullptr;
}

void Worker::run(Task* task) {
  // Those that wait for what has ended here shall not wait for this body too.
  if (done_parent_ != nullptr) flush_done_but(task->parent);
  Task* outer = std::exchange(task_, task);
  progress_.step();
  stats_.ran += 1;
  sample_left_ -= 1;
  if (MYR_UNLIKELY(sample_left_ == 0)) {
    time_body(task);
  } else {
    call_body(task);
  }
  task_ = outer;
  end(task);
}

// Learns whether tasks are small. One slow sample may be an interruption; one fast one is no
// accident. A body during which others ran tells nothing.
void Worker::time_body(Task* task) {
  const std::uint64_t ran_before = stats_.ran;
  const std::uint64_t begin = plat::ticks();
  call_body(task);
  const std::uint64_t ticks = plat::ticks() - begin;
  small_.note(task->body, ticks <= kFineTicks);
  if (stats_.ran == ran_before) {
    learn_size(ticks);
  } else {
    sample_left_ = 1;
  }
  if (MYR_UNLIKELY(chaos_.has_value())) chaos_->delay();
}

void Worker::learn_size(std::uint64_t body_ticks) {
  const bool slow = body_ticks > kFineTicks;
  slow_samples_ = slow ? slow_samples_ + 1 : 0;
  runs_long_ = body_ticks > kLongTicks;
  sample_left_ = runs_long_ ? 1 : slow ? kSampleLarger : kSampleEvery;
  const bool fine = slow_samples_ < kSlowSamples;
  if (fine != progress_.is_fine_grained()) progress_.set_fine_grained(fine);
}

void Worker::call_body(Task* task) {
  MYR_DCHECK(next_ == nullptr);
  if (MYR_UNLIKELY(sync::CancelledRegions::has_some()) && is_cancelled(*task)) {
    drop_body(*task);
    return;
  }
  if (MYR_UNLIKELY(observed_)) observe_begin(*task);
  if ((task->flags & graph::kPlainFunction) != 0) {
    call_function(task);
  } else {
    task->body(task->closure(), task->accesses());
  }
  if (MYR_UNLIKELY(observed_)) observe_end();
}

void Worker::end(Task* task) {
  if (MYR_UNLIKELY(task->interior != nullptr)) {
    end_interior(task);
    return;
  }
  if (MYR_UNLIKELY((task->flags & graph::kReplayed) != 0)) release_replayed(*task, true);
  Task* parent = task->parent;
  // If the parent runs on this thread, below us, nobody else can be linking to its child now.
  const Granule head =
      parent == task_ ? task->successors.complete_unshared() : task->successors.complete();
  if (head != 0) release_successors(head);
  recycler_.recycle(task);
  child_done(parent);
}

// Where tasks are called, nothing is left of one that has returned, except what it left for later.
bool Worker::must_be_known(const Task& task) const noexcept {
  if ((task.flags & graph::kUnknown) == 0) return false;
  if (spawning_ == Spawning::Calls) return has_later_ && task.interior->live() != 0;
  return task.interior->live() != 0 || task.interior->held != nullptr;
}

void Worker::end_interior(Task* task) {
  Interior& family = *task->interior;
  if (MYR_UNLIKELY(family.has_begun)) end_in_arena(family);
  if (MYR_UNLIKELY(must_be_known(*task))) make_known(*task);
  if (MYR_UNLIKELY(family.held != nullptr) && is_held(task)) return;
  if (MYR_UNLIKELY(family.replay != nullptr)) leave_replay(*task);
  if (MYR_UNLIKELY((task->flags & graph::kSpread) != 0) && outside_->has_spread(*task)) {
    end_spreader(task);
    return;
  }
  if (family.live() == 0) {
    retire(task);
    return;
  }
  if (family.lends_stack) check_lent_stack(*task, __builtin_frame_address(0));
  // What waits for this task now waits for those of its children that use the same memory.
  for (Granule head = task->successors.close(); head != 0;) {
    graph::Edge* edge = TaskArena::edge(head);
    head = edge->next;
    Task* successor = TaskArena::task(edge->task);
    Linker linker(*successor, recycler_, engine_.space());
    linker.inherit(*task);
    stats_.linked += linker.linked();
    release(successor);
  }
  release_successors(0);  // of joins among them
  const auto elsewhere = static_cast<std::int64_t>(family.spawned - family.finished_here);
  // [graph.children] From here on, the one that counts down the last child retires the task.
  if (family.outstanding.fetch_add(elsewhere, sync::acq_rel) == -elsewhere) retire(task);
}

void Worker::main_ends(const void* kept) {
  if (task_->interior != nullptr && task_->interior->lends_stack) {
    complete_domain();
    check_lent_stack(*task_, end_of_gone(kept));
  }
}

// The body of `ended` has returned, so its stack frames below `frame` are gone: no child may use
// them.
void Worker::check_lent_stack(const Task& ended, const void* frame) {
  const auto low = reinterpret_cast<std::uint64_t>(stacks_.bounds().low);
  const graph::TaskRef user = graph::find_unmanaged_user(
      ended.interior->domain, low, reinterpret_cast<std::uint64_t>(frame), recycler_);
  if (!user) return;
  const myr_site* site = TaskArena::task(user.granule())->site;
  base::misuse(
      site,
      base::format(
          "the task spawned here uses a local variable of its parent (spawned at "
          "{}), which has already returned; the parent must wait for the task before it returns",
          ended.site == nullptr ? "main" : base::describe(ended.site)));
}

void Worker::report_no_stack(const Task& next) const {
  base::misuse(
      next.site,
      base::format("no stack is left to run the task spawned here: all of {} MiB that a worker "
                   "may have are full of tasks, or left by tasks, that wait for others deeper "
                   "down; nest waits less deeply, or end the recursion",
                   plat::task_stack_bytes() >> 20));
}

// Called when the task and all its descendants have ended.
void Worker::retire(Task* task) {
  pass_failure_up(task);
  if (MYR_UNLIKELY((task->flags & graph::kClaims) != 0)) give_up_claims(task);
  if (MYR_UNLIKELY((task->flags & graph::kReplayed) != 0)) release_replayed(*task, false);
  if (MYR_UNLIKELY((task->flags & graph::kSpread) != 0)) {
    retire_spread(task);
  } else {
    let_go(task);
  }
}

// Nothing of it is left to do.
MYR_INLINE void Worker::let_go(Task* task) {
  Task* const parent = task->parent;
  const Granule head = task->successors.complete();
  if (head != 0) release_successors(head);
  if (task->references.drop()) recycler_.recycle(task);
  child_done(parent);
}

void Worker::retire_spread(Task* task) {
  const Outside::Ended ended = outside_->body_ended(*this, *task, __builtin_frame_address(0));
  let_go(task);
  flush_done_but(nullptr);
  ended.node->tell_ended(*this, ended.task);
}

void Worker::give_up_claims(Task* task) {
  for (Task* next = task->parent->interior->claims->give_up(task); next != nullptr;) {
    Task* const ready = next;
    next = ready->next;  // read first: it may run as soon as it is ready
    make_ready(ready);
  }
}

void Worker::release_successors(Granule head) {
  for (;;) {
    while (head != 0) {
      const graph::Edge* edge = TaskArena::edge(head);
      head = edge->next;  // read first: the edge is gone once its task may run
      release(TaskArena::task(edge->task));
    }
    if (MYR_LIKELY(joins_ == nullptr)) return;
    head = end_join();
  }
}

// Ends one of the joins that are ready. Returns those that wait for it. Not by recursion: joins may
// wait for each other in a chain of any length.
Granule Worker::end_join() {
  Task* join = joins_;
  joins_ = join->next;
  Task* const of_weak = (join->flags & graph::kWeak) != 0 ? join->parent : nullptr;
  const Granule head = join->successors.complete();
  recycler_.recycle(join);
  if (of_weak != nullptr) child_done(of_weak);
  return head;
}

// Counts one predecessor of `successor` off.
void Worker::release(Task* successor) {
  if (!successor->waiting.count_off()) return;
  constexpr unsigned kSpecial = graph::kWaiter | graph::kJoin | graph::kClaims | graph::kPlaced |
                                graph::kReplayed | graph::kWeak | graph::kUrgent;
  if (MYR_UNLIKELY((successor->flags & kSpecial) != 0)) {
    if (!is_to_run(successor)) return;
    if ((successor->flags & graph::kUrgent) != 0) return make_ready(successor);
  }
  if (next_ == nullptr) {
    next_ = successor;
  } else {
    make_ready(successor);
  }
}

// The task waits for no other any more: has it a body, the memory that it claims, and may it run
// next?
bool Worker::is_to_run(Task* task) {
  if ((task->flags & graph::kReplayed) != 0) {
    if (!task->node->arrive()) return false;
    if ((task->flags & graph::kPlaced) == 0) return true;
  }
  if ((task->flags & graph::kClaims) != 0) return take_claims(task);
  if ((task->flags & graph::kWaiter) != 0) {
    resume(*task->parent->interior->suspended);
  } else if ((task->flags & graph::kPlaced) != 0) {
    const unsigned best = best_worker(*task);
    if (best == index_) return true;
    place(task, best);
  } else if ((task->flags & graph::kJoin) != 0) {
    task->next = joins_;
    joins_ = task;
  } else {
    make_ready(task);  // a weak one: whoever finds it sees to what it lies on
  }
  return false;
}

void Worker::switch_done_parent(Task* parent) {
  flush_done_but(parent);
  done_parent_ = parent;
}

// Counts off all ended children except those of `parent`.
void Worker::flush_done_but(const Task* parent) {
  // Counting the last child of a task off retires it, which counts it off at its own parent, and so
  // on up.
  while (done_parent_ != nullptr && done_parent_ != parent) flush_done();
}

void Worker::flush_done() {
  Task* parent = std::exchange(done_parent_, nullptr);
  const std::int64_t count = std::exchange(done_count_, 0);
  // [graph.children] release: the waiting parent sees what its children wrote; acquire: if we
  // retire it, we see what it wrote.
  if (parent->interior->outstanding.fetch_sub(count, sync::acq_rel) == count) {
    all_children_ended(parent);
  }
}

// For a task that has left its stack until then, or has ended.
void Worker::all_children_ended(Task* task) {
  if (graph::Suspended* waiter = task->interior->suspended) {
    resume(*waiter);
  } else {
    retire(task);
  }
}

base::SerialPlace Worker::serial_place() const {
  base::SerialPlace place{task_, {2 * stats_.spawned}};
  for (const Task* task = task_; task->parent != nullptr; task = task->parent) {
    place.counts.push_back(2 * task->order + 1);
    place.root = task->parent;
  }
  std::reverse(place.counts.begin(), place.counts.end());
  return place;
}

void Worker::fail(base::Exception exception) {
  record_failure(task_->parent,
                 new Failure{2 * task_->order + 1, {std::move(exception), task_->site}});
}

// Keeps the earliest of a task's failures; if two have the same order, the one that has come first.
void Worker::record_failure(Task* parent, Failure* failure) {
  sync::Atomic<Failure*>& place = parent->interior->failure;
  // [graph.failure] The exchange owns what it took out; the thread that waits owns what it finds.
  for (Failure* other = nullptr;;) {
    if (place.compare_exchange_strong(other, failure, sync::acq_rel, sync::relaxed)) return;
    other = place.exchange(nullptr, sync::acq_rel);  // [graph.failure]
    if (other == nullptr) continue;
    if (other->order <= failure->order) std::swap(other, failure);
    delete other;
    other = nullptr;
  }
}

void Worker::pass_failure_up(Task* task) {
  // Relaxed: all children have ended, and the thread that counted the last one off has seen what
  // they did.
  if (MYR_LIKELY(task->interior->failure.load(sync::relaxed) == nullptr)) return;
  // [graph.failure]
  Failure* failure = task->interior->failure.exchange(nullptr, sync::acq_rel);
  if (failure == nullptr) return;
  failure->order = 2 * task->order;
  record_failure(task->parent, failure);
}

std::optional<base::Failure> Worker::take_failure() { return take_failure_of(*task_); }

}  // namespace myr::engine
