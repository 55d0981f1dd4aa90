// SPDX-License-Identifier: Apache-2.0
//
// The life of a task: spawned, run, ended; and the waits for tasks. See docs/design/omp.md.
#include "omp/task.hpp"

#include <cstdlib>
#include <cstring>

#include "graph/task_arena.hpp"
#include "omp/gomp_calls.h"
#include "omp/team.hpp"
#include "omp/threads.hpp"
#include "omp/wait_until.hpp"

namespace myr::omp {

void copy_arguments(Thread& self, Task* task, const TaskRequest& request) {
  std::byte* place = task->arguments();
  const std::size_t align = request.align == 0 ? 1 : request.align;
  const auto address = (reinterpret_cast<std::uintptr_t>(place) + align - 1) & ~(align - 1);
  task->data = reinterpret_cast<void*>(address);
  if (request.copy != nullptr) {
    Task* outer = std::exchange(self.at.task, task);
    request.copy(task->data, request.data);
    self.at.task = outer;
    task->flags |= kCopied;
  } else if (request.size != 0) {
    std::memcpy(task->data, request.data, request.size);
  }
  if (request.range != nullptr) std::memcpy(task->data, request.range, 2 * sizeof(std::uint64_t));
}

void set_kind(Task* task, const TaskRequest& request) noexcept {
  if ((request.flags & GOMP_TASK_FINAL) != 0) task->flags |= kFinal;
  if ((request.flags & GOMP_TASK_UNTIED) != 0) task->flags |= kUntied;
}

namespace {

constexpr std::uint64_t kEnded = 1;
constexpr std::uint64_t kAllEnded = std::uint64_t{1} << 31;
constexpr std::uint64_t kFreed = std::uint64_t{1} << 32;
constexpr std::uint64_t kAllFreedButOne = 0xffffffffU;  // the high half of an ended task's balance
constexpr std::uint32_t kMostChildren = std::uint32_t{1} << 30;  // between two waits for all
constexpr std::uint32_t kBodyEnded = 1;
constexpr std::uint32_t kFulfilled = 2;

// Has this change of a balance ended the sleep of its task?
bool all_have_ended(std::uint64_t before, std::uint64_t added) noexcept {
  return static_cast<std::uint32_t>(before + added) == kAllEnded;
}

// Waits until the children of the running task have ended. The one that ends the last sees that it
// sleeps.
class ForChildren {
 public:
  explicit ForChildren(Task& task) noexcept : task_(task), target_(task.spawned) {}
  ~ForChildren() {
    if (target_ != kAllEnded) return;
    task_.balance.fetch_sub(kAllEnded - task_.spawned, sync::relaxed);
  }
  ForChildren(const ForChildren&) = delete;
  ForChildren& operator=(const ForChildren&) = delete;

  [[nodiscard]] bool operator()() const noexcept {
    // [omp.balance] What they wrote is visible.
    return static_cast<std::uint32_t>(task_.balance.load(sync::acquire)) == target_;
  }
  void will_sleep() noexcept {
    const std::uint64_t more = kAllEnded - std::exchange(target_, kAllEnded);
    // [omp.balance] The thread that ends the last child sees that this one is announced: each time
    // anew, or it might see that of an earlier sleep and not look again.
    task_.balance.fetch_add(more, sync::release);
  }

 private:
  Task& task_;
  std::uint64_t target_;
};

// The same for the tasks of a group.
struct ForGroup {
  Group& group;

  [[nodiscard]] bool operator()() const noexcept {
    return (group.live.load(sync::acquire) & ~Group::kAwaited) == 0;  // [omp.group]
  }
  void will_sleep() const noexcept {
    group.live.fetch_or(Group::kAwaited, sync::release);  // [omp.group] This thread is announced.
  }
};

// `count` tasks of the group have ended.
void count_off(Group* group, std::uint32_t count, Team& team) noexcept {
  if (group == nullptr) return;
  // [omp.group] What they wrote is visible, and that its thread is announced.
  const std::uint32_t before = group->live.fetch_sub(count, sync::acq_rel);
  if (before - count == Group::kAwaited) team.choosy.post_seen(kAll);
}

// Gives back what a task has besides its block.
void strip(Thread& self, Task* task) noexcept {
  note_release(task);
  if ((task->flags & kExternal) != 0) std::free(task->external());
  while (task->more_edges != nullptr) {
    EdgeBlock* block = task->more_edges;
    task->more_edges = block->next;
    self.pool.recycle_edges(block);
  }
}

void recycle(Thread& self, Task* task) noexcept {
  strip(self, task);
  if (task->home == &self) {
    self.pool.recycle(task);
  } else {
    task->home->pool.give_back(task, task);
  }
}

// Perhaps of a task whose body ran in another thread.
void recycle_ancestor(Thread& self, Task* task) noexcept {
  note_acquire(task);  // of who ended it
  recycle(self, task);
}

// Tells the parent that the memory of a child is free, and frees what nobody needs any more.
void tell_freed(Thread& self, Task* parent) noexcept {
  while (parent != nullptr) {
    // [omp.balance] The one that frees a task sees that all others are done with it.
    const std::uint64_t before = parent->balance.fetch_add(kFreed, sync::acq_rel);
    if (before >> 32 != kAllFreedButOne) return;
    Task* next = parent->parent;
    recycle_ancestor(self, parent);
    parent = next;
  }
}

// Tells it that so many children have ended, whose memory is free.
void tell_ended(Thread& self, Task* parent, std::uint32_t count, Team& team) noexcept {
  const std::uint64_t both = count * (kEnded + kFreed);
  // [omp.balance] What they wrote is visible to a parent that waits.
  const std::uint64_t before = parent->balance.fetch_add(both, sync::acq_rel);
  if (MYR_UNLIKELY(all_have_ended(before, both))) team.choosy.post_seen(kAll);
  if (MYR_LIKELY(static_cast<std::uint32_t>(before >> 32) + count != 0)) return;
  Task* above = parent->parent;
  recycle_ancestor(self, parent);
  tell_freed(self, above);
}

// One that may run anything; if there is none, one that may run some, which passes it on if it may
// not. No other thread need know: one that queues a task, or waits for it, looks for it before it
// sleeps. In a team with more threads than processors these look from time to time
// (sleep_in_team()), and no more are woken than can run.
void tell_of_task(Team& team) noexcept {
  if (MYR_UNLIKELY(team.is_crowded) && !has_free_processor()) return;
  if (!team.idle.offer_task()) team.choosy.offer_task();
}

}  // namespace

void push_ready(Thread& self, Task* task) noexcept {
  Team& team = *task->team;
  Slot& slot = self.at.team == &team ? slot_of(self) : team.slots[0];
  slot.queue.push(task);
  tell_of_task(team);
}

namespace {

// Returns one that is ready now, if this thread may run it next; the others are queued.
Task* release_successors(Thread& self, Task* task) noexcept {
  Team& team = *task->team;
  const bool may_run = self.at.team == &team && settings.priority_max == 0;
  Task* behind = nullptr;
  bool has_waiter = false;
  note_release(task);  // for those that will find it complete
  graph::Granule at = task->successors.complete();
  while (at != 0) {
    const graph::Edge edge = *graph::TaskArena::edge(at);
    auto* next = reinterpret_cast<Task*>(graph::TaskArena::task(edge.task));
    at = edge.next;
    note_release(next);
    has_waiter = has_waiter || (next->flags & kWaiter) != 0;
    if (!next->waiting.count_off()) continue;
    if (may_run && behind == nullptr) {
      behind = next;
    } else {
      push_ready(self, next);
    }
  }
  if (MYR_UNLIKELY(has_waiter)) team.choosy.post(kAll);
  return behind;
}

// A child without children of its own has ended in its team.
void add_ended(Thread& self, Task* task) noexcept {
  Ended& ended = self.ended;
  if (ended.parent != task->parent || ended.group != task->group) count_ended(self);
  ended.parent = task->parent;
  ended.group = task->group;
  ended.slot = &slot_of(self);
  ended.count += 1;
  strip(self, task);
  if (task->home == &self) {
    self.pool.recycle(task);
    return;
  }
  if (ended.home != task->home && ended.first != nullptr) {
    ended.home->pool.give_back(std::exchange(ended.first, nullptr), ended.last);
  }
  ended.home = task->home;
  if (ended.first == nullptr) ended.last = task;
  task->next = std::exchange(ended.first, task);
}

// The task has ended. `self` may be a thread of another team, for a task with an event. Returns one
// that this thread may run next.
Task* complete(Thread& self, Task* task) noexcept {
  Team& team = *task->team;
  Task* behind = (task->flags & kLinked) != 0 ? release_successors(self, task) : nullptr;
  const bool inside = self.at.team == &team;
  const std::uint32_t spawned = task->spawned;
  const bool is_counted = (task->flags & kAdopted) == 0;
  if (inside && spawned == 0 && is_counted) {
    add_ended(self, task);
    return behind;
  }
  count_off(task->group, 1, team);
  Task* parent = task->parent;
  if (spawned != 0) {
    if (is_counted) {
      // The parent's count first: afterwards another thread may free the task.
      // [omp.balance] What it wrote is visible.
      const std::uint64_t before = parent->balance.fetch_add(kEnded, sync::acq_rel);
      if (all_have_ended(before, kEnded)) team.choosy.post_seen(kAll);
    }
    note_release(task);  // for whoever frees it
    const std::uint64_t less = std::uint64_t{spawned} << 32;
    if (task->balance.fetch_sub(less, sync::acq_rel) >> 32 == spawned) {  // [omp.balance]
      recycle(self, task);
      tell_freed(self, parent);
    }
  } else {
    recycle(self, task);
    if (is_counted) {
      tell_ended(self, parent, 1, team);
    } else {
      tell_freed(self, parent);
    }
  }
  if (inside) {
    Slot& slot = slot_of(self);
    // [omp.count] A thread that finds that all have ended sees what they wrote.
    slot.ended.store(slot.ended.load(sync::relaxed) + 1, sync::release);
  } else {
    team.ended_outside.fetch_add(1, sync::release);  // [omp.count]
    team.idle.post(kAll);
  }
  return behind;
}

// Notes one of the two things that end a detached task. Has the other one happened?
bool comes_second(Task* task, std::uint32_t what) noexcept {
  note_release(task);
  // [omp.event] The second one to come sees what the first wrote.
  if (task->event.fetch_add(what, sync::acq_rel) == 0) return false;
  note_acquire(task);
  return true;
}

Task* end_body(Thread& self, Task* task) {
  forget_depends(self, task);
  if ((task->flags & kDetached) != 0) {
    if (!comes_second(task, kBodyEnded)) return nullptr;
  }
  return complete(self, task);
}

// Tells those that will wait for the task in one way or another.
void note_task_end(Task& task) noexcept {
  note_release(task.parent);
  note_release(&task.team->arrived);
  if (task.group != nullptr) note_release(task.group);
}

// Returns one that may run next.
Task* execute(Thread& self, Task* task) {
  const Ended& ended = self.ended;
  if (ended.parent != task->parent || ended.group != task->group) count_ended(self);
  Task* outer = std::exchange(self.at.task, task);
  note_acquire(task);
  const bool is_filled = (task->flags & kFilled) != 0;
  const Span span(Construct::Task, is_filled ? nullptr : code_of(task->body));
  if (MYR_LIKELY((task->flags & kCopied) != 0 || !is_cancelled(task))) task->body(task->data);
  self.at.task = outer;
  note_task_end(*task);
  return end_body(self, task);
}

// Runs a task outside of a wait, and lets others see at once that it has ended.
void execute_here(Thread& self, Task* task) {
  if (Task* behind = execute(self, task)) push_ready(self, behind);
  count_ended(self);
}

// Is there so much to do that the task is better run than queued, and may it run?
bool is_run_at_once(Thread& self, bool detached, const Depends& depend) noexcept {
  if (detached || !slot_of(self).queue.is_full() || is_too_deep(self)) return false;
  return !depend.any() || are_met(self, depend);
}

// In a team of one tasks run where they are spawned, one inside the other, unless is_too_deep().
// What was queued instead runs when a child of the implicit task has ended, so that all others have
// returned: outside of regions nobody else would ever run it.
void run_what_was_too_deep(Thread& self) {
  if (self.at.team->size != 1 || self.at.task->depth != 0) return;
  if (self.at.team->has_tasks.load(sync::relaxed) == 0) return;
  while (run_one(self)) {
  }
}

// Begins to count the children of the running task anew, which fit in 31 bits.
MYR_COLD void forget_children(Thread& self) {
  Task& task = *self.at.task;
  wait_for_children(self);
  // [omp.balance] Some may still be read by children of theirs; then after the next one.
  if (task.balance.load(sync::acquire) != task.spawned * (kEnded + kFreed)) return;
  task.spawned = 0;
  task.balance.store(0, sync::relaxed);
}

// Counts the task as one of its team, and lets it run when those that it depends on have ended.
void queue(Thread& self, Task* task, const Depends& depend) {
  Team& team = *self.at.team;
  note_release(task);
  if (MYR_UNLIKELY(self.at.task->spawned >= kMostChildren)) forget_children(self);
  self.at.task->spawned += 1;
  if (task->group != nullptr) task->group->live.fetch_add(1, sync::relaxed);
  Slot& slot = slot_of(self);
  slot.made.store(slot.made.load(sync::relaxed) + 1, sync::release);  // [omp.count]
  if (MYR_UNLIKELY(team.has_tasks.load(sync::relaxed) == 0)) announce_tasks(self);
  if (depend.any()) {
    task->flags |= kLinked;
    if (!link_depends(self, task, depend)) return;
  }
  if (team.size == 1 && !is_too_deep(self)) {
    execute_here(self, task);
    run_what_was_too_deep(self);
  } else {
    push_ready(self, task);
  }
}

void set_event(Task* task, const TaskRequest& request) {
  if ((request.flags & GOMP_TASK_DETACH) == 0) return;
  task->flags |= kDetached;
  *static_cast<void**>(request.detach) = task;
  if (request.data != nullptr) *static_cast<void**>(request.data) = task;
}

void run_here(Thread& self, const TaskRequest& request) {
  const bool copies = request.copy != nullptr || request.range != nullptr;
  Task* task = make_task(self, copies ? request.size + request.align : 0);
  set_kind(task, request);
  task->data = request.data;
  set_event(task, request);
  if (copies) copy_arguments(self, task, request);
  begin_here(self, task);
  const Span span(Construct::Task, code_of(request.body));
  request.body(task->data);
  end_here(self, task);
}

void spawn_deferred(Thread& self, const TaskRequest& request) {
  Task* task = make_task(self, request.size + request.align);
  task->body = request.body;
  set_kind(task, request);
  task->priority =
      request.priority < settings.priority_max ? request.priority : settings.priority_max;
  set_event(task, request);
  copy_arguments(self, task, request);
  queue(self, task, request.depend);
}

// Ancestors that have ended, and have nothing left below but this, are not needed any more.
// REQUIRES: the task runs here and has no children, so that nobody climbs through it.
MYR_COLD void skip_ended(Thread& self, Task* task) noexcept {
  Task* parent = task->parent;
  // [omp.balance] All others are done with it.
  while (parent->balance.load(sync::acquire) >> 32 == kAllFreedButOne) {
    Task* ended = std::exchange(parent, parent->parent);
    recycle_ancestor(self, ended);
  }
  put_below(parent, task);
  task->flags |= kAdopted;
}

}  // namespace

Task* make_task(Thread& self, std::size_t argument_bytes) {
  const std::size_t bytes = sizeof(Task) + argument_bytes;
  const bool external = bytes > TaskPool::kBytes[TaskPool::kClasses - 1];
  Task* task = self.pool.take(external ? sizeof(Task) + sizeof(void*) : bytes);
  note_acquire(task);
  Task* parent = self.at.task;
  task->flags = external ? kExternal : 0;
  if (parent->spawned == 0 && parent->depth != 0 &&
      MYR_UNLIKELY(parent->parent->balance.load(sync::relaxed) >> 32 == kAllFreedButOne)) {
    skip_ended(self, parent);
  }
  put_below(parent, task);
  task->icv = parent->icv;
  task->group = parent->group;
  task->team = self.at.team;
  task->home = &self;
  task->depends = nullptr;
  task->more_edges = nullptr;
  task->balance.store(0, sync::relaxed);
  task->spawned = 0;
  task->priority = 0;
  task->event.store(0, sync::relaxed);
  if (external) {
    constexpr std::size_t kAlign = Task::kArgumentAlign;
    const std::size_t room = (argument_bytes + kAlign - 1) / kAlign * kAlign;
    void* block = std::aligned_alloc(kAlign, kAlign + room);
    if (block == nullptr) fail("Out of memory allocating %zu bytes", argument_bytes);
    *reinterpret_cast<void**>(task->payload()) = block;
  }
  return task;
}

bool is_cancelled(const Task* task) noexcept {
  if (task->team->is_cancelled()) return true;
  const Group* group = task->group;
  if (group == nullptr) return false;
  if (group->cancelled.load(sync::relaxed) != 0) return true;
  // A worksharing construct with task reductions makes a group that hides the one around it.
  return group->is_workshare && group->outer != nullptr &&
         group->outer->cancelled.load(sync::relaxed) != 0;
}

// A task that runs where it is made is counted by its parent alone, and only if it has
// children that are alive when it ends.
void begin_here(Thread& self, Task* task) {
  if ((task->parent->flags & kFinal) != 0) task->flags |= kFinal;
  self.at.task = task;
}

void end_here(Thread& self, Task* task) {
  Task* parent = task->parent;
  self.at.task = parent;
  forget_depends(self, task);
  if ((task->flags & kDetached) != 0) {
    wait_in_task(self, [&] {
      return task->event.load(sync::acquire) != 0;  // [omp.event]
    });
  }
  if (task->spawned == 0) {
    recycle(self, task);
    return;
  }
  parent->spawned += 1;
  parent->balance.fetch_add(kEnded, sync::relaxed);
  note_release(task);  // for whoever frees it
  const std::uint64_t less = std::uint64_t{task->spawned} << 32;
  // [omp.balance]
  if (task->balance.fetch_sub(less, sync::acq_rel) >> 32 == task->spawned) {
    recycle(self, task);
    tell_freed(self, parent);
  }
  run_what_was_too_deep(self);
}

void spawn(Thread& self, const TaskRequest& asked) {
  TaskRequest request = asked;
  Task* parent = self.at.task;
  if (MYR_UNLIKELY(is_cancelled(parent))) return;
  if ((request.flags & GOMP_TASK_DEPEND) == 0) request.depend = {};
  const bool detached = (request.flags & GOMP_TASK_DETACH) != 0;
  const bool deferred = request.deferred && (detached || !is_alone(self) || is_too_deep(self)) &&
                        (parent->flags & kFinal) == 0;
  if (deferred && !is_run_at_once(self, detached, request.depend)) {
    spawn_deferred(self, request);
    return;
  }
  if (!deferred && request.depend.any()) wait_for_depend(self, request.depend);
  run_here(self, request);
}

void submit(Thread& self, Task* task, const Depends& depend) {
  const bool detached = (task->flags & kDetached) != 0;
  const bool deferred =
      (detached || !is_alone(self) || is_too_deep(self)) && (self.at.task->flags & kFinal) == 0;
  if (deferred && !is_run_at_once(self, detached, depend)) {
    queue(self, task, depend);
    return;
  }
  if (!deferred && depend.any()) wait_for_depend(self, depend);
  begin_here(self, task);
  task->body(task->data);
  end_here(self, task);
}

Task* take_task(Thread& self, const Task* ancestor, Look look) noexcept {
  return slot_of(self).queue.take(ancestor, look);
}

Task* steal_task(Thread& self, const Task* ancestor, Look look) noexcept {
  Team& team = *self.at.team;
  Slot& own = slot_of(self);
  for (unsigned i = 1; i < team.size; ++i) {
    unsigned victim = self.at.index + i;
    if (victim >= team.size) victim -= team.size;
    const Stolen stolen = team.slots[victim].queue.steal(own.queue, ancestor, look);
    if (stolen.task == nullptr) continue;
    self.steals.begin(sync::ticks(), stolen.count);
    return stolen.task;
  }
  return nullptr;
}

bool has_ready_tasks(const Team& team, unsigned size) noexcept {
  for (unsigned i = 0; i < size; ++i) {
    if (team.slots[i].queue.count() != 0) return true;
  }
  return false;
}

Task* run_task(Thread& self, Task* task) { return execute(self, task); }

void count_ended(Thread& self) noexcept {
  Ended& ended = self.ended;
  if (ended.count == 0) return;
  const std::uint32_t count = std::exchange(ended.count, 0);
  Slot& slot = *ended.slot;
  Team& team = *ended.parent->team;
  if (ended.first != nullptr) {
    ended.home->pool.give_back(std::exchange(ended.first, nullptr), ended.last);
  }
  count_off(ended.group, count, team);
  tell_ended(self, ended.parent, count, team);
  // [omp.count] A thread that finds that all have ended sees what they wrote.
  slot.ended.store(slot.ended.load(sync::relaxed) + count, sync::release);
}

const Task* runs_below(Thread& self) noexcept {
  const Task* task = self.at.task;
  return (task->flags & kUntied) != 0 && !is_low_on_stack(self) ? self.at.tied : task;
}

bool run_one(Thread& self) {
  const Tied tied(self, runs_below(self));
  Task* task = find_task(self, tied.task());
  if (task == nullptr) return false;
  execute_here(self, task);
  return true;
}

void wait_for_children(Thread& self) {
  Task* task = self.at.task;
  if (task->spawned == 0) return;
  wait_in_task(self, ForChildren(*task));
  note_acquire(task);
}

void wait_for_depend(Thread& self, const Depends& depend) {
  if (self.at.task->depends == nullptr) return;
  Task* waiter = make_task(self, 0);
  waiter->flags |= kLinked | kWaiter;
  if (!link_waiter(self, waiter, depend)) {
    wait_in_task(self, [&] { return waiter->waiting.is_last(); });
  }
  note_acquire(waiter);
  recycle(self, waiter);
}

void begin_group(Thread& self) {
  Task* task = self.at.task;
  auto* group = new Group;
  group->outer = task->group;
  if (group->outer != nullptr) group->reductions = group->outer->reductions;
  task->group = group;
}

void end_group(Thread& self) {
  Task* task = self.at.task;
  Group* group = task->group;
  if (group == nullptr) return;
  wait_in_task(self, ForGroup{*group});
  note_acquire(group);
  task->group = group->outer;
  delete group;
}

void fulfill(Task* task) {
  Team& team = *task->team;  // the task may be gone afterwards
  if (comes_second(task, kFulfilled)) {
    Thread& caller = self();
    if (Task* behind = complete(caller, task)) push_ready(caller, behind);
    count_ended(caller);
  }
  team.choosy.post(kAll);
}

}  // namespace myr::omp
