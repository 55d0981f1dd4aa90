// SPDX-License-Identifier: Apache-2.0
//
// A part of Worker: recorded steps. The first run of a step is analysed as always, and noted.
// From then on each spawn is compared with its record. While they are the same, a task has its
// predecessors counted from the beginning, and a task that ends counts off those that the record
// names: no domain, no list. At the first difference the domain is told of the tasks that are
// alive, and the rest of the step is analysed.
//
// Invariants
//   1. A lap begins when all tasks of its last run have ended; so its counts are those of one run.
//   2. A step that is replayed in part leaves counts behind that nothing counts off. The record is
//      dropped then, and its nodes are made anew once its tasks have ended.
//   3. All tasks that a domain does not know, except for the complete ones, belong to one
//      recording, Interior::replay, and are entered before anything is entered behind them, or
//      looked up.
#include "base/format.hpp"
#include "base/misuse.hpp"
#include "engine/engine.hpp"
#include "engine/replay.hpp"
#include "engine/worker.hpp"
#include "graph/task_arena.hpp"

namespace myr::engine {

using graph::Interior;
using graph::Linker;
using graph::RecordedAccess;
using graph::RecordedStep;
using graph::Replay;
using graph::ReplayNode;
using graph::Task;
using graph::TaskArena;
using graph::TaskRef;
using Mode = Replay::Mode;

// ---- a step begins and ends ---------------------------------------------------------------------

void Worker::begin_step(std::unique_ptr<base::StepRecord>& record, const myr_site* site) {
  if (has_own_steps()) {
    own_steps_.give_up();
    if (own_steps_.is_open) {
      own_steps_.is_open = false;
      end_step(own_steps_.record.get(), site);
    }
  }
  begin_step_of(record, site);
}

void Worker::begin_step_of(std::unique_ptr<base::StepRecord>& record, const myr_site* site) {
  Replay& replay = own_replay(record, site);
  replay.site = site;
  // These run tasks where they are spawned, or want to see each edge.
  if (spawning_ == Spawning::Calls || spawning_ == Spawning::Others || graph_ != nullptr) return;
  if (task_->interior == nullptr) recycler_.attach_interior(*task_);
  Interior& family = *task_->interior;
  if (family.replay != nullptr && family.replay != &replay) {
    if (family.replay->mode != Mode::Idle) return;  // a step in a step: part of the outer one
    enter_replayed(*task_);
  }
  if (family.live() == 0) {
    family.domain.clear();
    if (family.replay != nullptr) replay.all_ended();
  }
  family.replay = &replay;
  if (replay.is_recorded && !replay.step.has_nodes()) {
    replay.is_recorded = replay.step.build(recycler_, engine_.space());
    replay.is_unfit = !replay.is_recorded;
    replay.lap = 0;
  }
  replay.next = replay.settled = 0;
  if (replay.is_recorded) {
    begin_replay(replay, family);
  } else if (replay.is_unfit) {
    replay.mode = Mode::Analysing;
  } else {
    wait_for_replayed(replay);
    replay.step.clear();
    replay.mode = Mode::Recording;
  }
}

void Worker::begin_replay(Replay& replay, Interior& family) {
  replay.mode = Mode::Replaying;
  const std::uint32_t laps = replay.step.lap_count();
  replay.lap = (replay.lap + 1) % laps;
  replay.nodes = &replay.step.node(replay.lap, 0);
  replay.count = replay.step.size();
  replay.entered[replay.lap] = 0;
  if (family.live() == 0) {
    replay.fresh_laps = replay.checked_laps = 0;
    return;
  }
  for (const std::uint32_t index : replay.step.last()) {
    wait_for_task(replay.step.ref(replay.lap, index));
  }
  if (replay.fresh_laps == 0) {
    replay.checked_laps = laps;  // other tasks may be alive
  } else if (replay.fresh_laps == laps) {
    replay.fresh_laps -= 1;
  }
}

void Worker::end_step(base::StepRecord* record, const myr_site* site) {
  auto* const replay = static_cast<Replay*>(record);
  if (replay == nullptr) return;
  if (replay->owner != TaskArena::ref(task_)) report_other_task("myr_step_end", *replay, site);
  if (task_->interior == nullptr || task_->interior->replay != replay) return;
  switch (replay->mode) {
    case Mode::Recording:
      replay->is_recorded = replay->step.size() != 0;
      break;
    case Mode::Replaying:
      if (replay->next == replay->step.size()) {
        if (replay->settled != 0) replay->settle();
        replay->fresh_laps += 1;
        if (replay->checked_laps != 0) replay->checked_laps -= 1;
        replay->mode = Mode::Idle;
        return;  // the domain does not know of it yet
      }
      break_off(*replay);
      break;
    case Mode::Analysing:
    case Mode::Idle:
      break;
  }
  replay->mode = Mode::Idle;
  task_->interior->replay = nullptr;
}

void Worker::free_record(base::StepRecord* record, const myr_site* site) {
  auto* const replay = static_cast<Replay*>(record);
  if (replay == nullptr || replay->engine != engine_.number()) return;
  if (replay->owner != TaskArena::ref(task_)) {
    // Once the owner is complete, so are all tasks of its steps.
    if (TaskArena::is_complete(replay->owner)) return;
    report_other_task("myr_recording_free", *replay, site);
  }
  if (task_->interior != nullptr && task_->interior->replay == replay) enter_replayed(*task_);
  wait_for_replayed(*replay);
}

// ---- main's steps, by themselves -------------------------------------------------------------

// Not where tasks run as they are spawned, or on other engines; nor if each edge is to be seen.
bool Worker::has_own_steps() const noexcept {
  const bool links = spawning_ == Spawning::Queues || spawning_ == Spawning::Chaos;
  return task_->parent == nullptr && links && graph_ == nullptr && outside_ == nullptr;
}

// Main has waited for all its children.
void Worker::begin_own_step() {
  if (!own_steps_.is_repeated() || task_->interior->replay != nullptr) return;
  begin_step_of(own_steps_.record, nullptr);
  own_steps_.is_open = true;
}

// Main begins to wait for all its children. A step without tasks has not begun.
void Worker::end_own_step() {
  const auto& replay = static_cast<const Replay&>(*own_steps_.record);
  const std::uint32_t spawned = replay.mode == Mode::Recording ? replay.step.size() : replay.next;
  if (spawned == 0 && replay.mode != Mode::Analysing) return;
  end_step(own_steps_.record.get(), nullptr);
  own_steps_.is_open = false;
  if (!replay.is_recorded) own_steps_.note_break();
}

// ---- whose record it is -------------------------------------------------------------------------

// The record, for the running task.
Replay& Worker::own_replay(std::unique_ptr<base::StepRecord>& record, const myr_site* site) {
  const TaskRef self = TaskArena::ref(task_);
  auto* replay = static_cast<Replay*>(record.get());
  const bool is_ours = replay != nullptr && replay->engine == engine_.number();
  if (is_ours && replay->owner == self) return *replay;
  if (is_ours && !TaskArena::is_complete(replay->owner)) {
    report_other_task("myr_step_begin", *replay, site);
  }
  auto fresh = std::make_unique<Replay>();
  fresh->engine = engine_.number();
  fresh->owner = self;
  record = std::move(fresh);
  return static_cast<Replay&>(*record);
}

void Worker::report_other_task(const char* call, const Replay& replay, const myr_site* site) {
  base::misuse(site, base::format("{}: the recording belongs to another task, which began its step "
                                  "at {} and is not over; make a recording in each task",
                                  call, base::describe(replay.site)));
}

// The task's body has returned, perhaps without ending the step.
void Worker::leave_replay(Task& task) {
  Replay& replay = *task.interior->replay;
  enter_replayed(task);
  if (replay.mode != Mode::Idle) replay.is_recorded = false;
  replay.mode = Mode::Idle;
  task.interior->replay = nullptr;
}

// ---- spawning in a step ---------------------------------------------------------------------

// What link() does, for a task whose parent has a recording under way, or one whose last tasks its
// domain does not know; `before`: and link_behind().
bool Worker::link_in_step(Task* task, TaskRef before) {
  Replay& replay = *task_->interior->replay;
  if (MYR_LIKELY(replay.mode == Mode::Replaying)) {
    if (MYR_LIKELY(replay.is_next(*task, engine_.space()))) {
      replay_spawn(task, replay, before);
      return false;
    }
    break_off(replay);
  } else if (replay.mode == Mode::Idle) {
    enter_replayed(*task_);
  } else if (replay.mode == Mode::Recording && !replay.step.note(*task, *task_, engine_.space())) {
    replay.is_unfit = true;
    replay.mode = Mode::Analysing;
  }
  return before ? link_behind(task, before) : link(task);
}

// A task that was called (Replay::begin_at_once()) has ended, but not all that it has spawned: so
// it becomes a task of the step like any other.
void Worker::join_step(Task& task) {
  Replay& replay = *task_->interior->replay;
  replay.settle_all_but_last();
  ReplayNode& node = replay.nodes[replay.next - 1];
  node.task = &task;
  replay.step.ref(replay.lap, replay.next - 1) = TaskArena::ref(&task);
  task.node = &node;
  task.set(graph::kReplayed);
}

// The next spawn of the step is the recorded one.
void Worker::replay_spawn(Task* task, Replay& replay, TaskRef before) {
  if (MYR_UNLIKELY(replay.settled != replay.next)) replay.settle();
  const std::uint32_t index = replay.next++;
  replay.settled = replay.next;
  ReplayNode& node = replay.nodes[index];
  node.task = task;
  replay.step.ref(replay.lap, index) = TaskArena::ref(task);
  task->node = &node;
  task->set(graph::kReplayed);
  stats_.replayed += 1;
  const bool has_others = replay.has_borders() || before;
  if (MYR_UNLIKELY(has_others) && !link_borders(*task, replay, index, before)) return;
  if (node.arrive()) start_replayed(task);
}

// Makes the task wait for those outside of its step, and for `before`. True: there are none.
bool Worker::link_borders(Task& task, Replay& replay, std::uint32_t index, TaskRef before) {
  task.waiting.start();
  Linker linker(task, recycler_, engine_.space());
  if (before) linker.report(before);
  if (replay.fresh_laps != 0) {
    const std::uint32_t lap = replay.lap_before(1);
    for (const std::uint32_t on : replay.step.before(index)) {
      linker.report(replay.step.ref(lap, on));
    }
  }
  if (replay.checked_laps != 0) {
    for (const RecordedAccess& access : replay.step.accesses(index)) {
      if (!access.is_entry) continue;
      task_->interior->domain.report_conflicts(engine_.space().tree(), access.target, linker);
    }
  }
  stats_.linked += linker.linked();
  return task.waiting.commit(linker.linked());
}

// All predecessors have ended. Long tasks go where their data was used last; it is noted of no
// others which worker that was.
void Worker::start_replayed(Task* task) {
  const ReplayNode& node = *task->node;
  if (MYR_UNLIKELY((task->flags & graph::kPlaced) != 0)) {
    place(task, best_worker(*task));
  } else if (MYR_LIKELY(node.worker == ReplayNode::kNoWorker || node.worker == index_) ||
             spawning_ != Spawning::Queues) {
    make_ready(task);
  } else {
    place(task, node.worker);
  }
}

// The task has ended, and its descendants: nobody else looks at its node's successors behind this.
// `in_chain`: the worker runs next what it finds in next_. Not so where it only counts off children
// that have ended: one that retires a parent then must not leave a task there.
void Worker::release_replayed(const Task& task, bool in_chain) {
  ReplayNode& node = *task.node;
  const std::uint32_t best = runs_long_ ? index_ : ReplayNode::kNoWorker;
  if (node.worker != best) node.worker = best;
  // Behind the last arrival the rest of the step may run, and its record may go: only copies.
  const std::int32_t* const first = node.successors;
  const std::int32_t* const end = first + node.successor_count;
  for (const std::int32_t* next = first; next != end; ++next) {
    const ReplayNode* const successor = node.arrive_at(*next);
    if (successor == nullptr) continue;
    Task* const ready = successor->task;
    if (in_chain && next_ == nullptr && (ready->flags & (graph::kPlaced | graph::kUrgent)) == 0) {
      next_ = ready;
    } else {
      start_replayed(ready);
    }
  }
}

// ---- telling the domain ---------------------------------------------------------------------

// The step differs from its record from here on, or is over too soon.
void Worker::break_off(Replay& replay) {
  enter_replayed(*task_);
  task_->interior->replay = &replay;
  replay.is_recorded = false;
  replay.mode = Mode::Analysing;
}

namespace {

// Enters tasks that are linked already.
class LinkedSink final : public graph::ConflictSink {
 public:
  // `joins`: makes joins for it.
  LinkedSink(TaskRef self, Linker& joins) noexcept : ConflictSink(self), joins_(joins) {}
  [[nodiscard]] TaskRef join(const graph::RefSet& members, const myr_access& memory) override {
    return joins_.join(members, memory);
  }

 private:
  void wait_for(TaskRef) override {}
  Linker& joins_;
};

}  // namespace

// Enters the replayed tasks of `parent` that are alive into its domain, in the order of their
// spawns. What later tasks of a step supersede is left out where the step is whole.
void Worker::enter_replayed(Task& parent) {
  Interior& family = *parent.interior;
  Replay& replay = *family.replay;
  if (replay.mode == Mode::Idle) family.replay = nullptr;
  const bool in_step = replay.mode == Mode::Replaying;
  Task* const stand_in = draft(0, 0);  // a join has a parent, and a site
  stand_in->parent = &parent;
  stand_in->depth = parent.depth + 1;
  stand_in->site = replay.site;
  Linker joins(*stand_in, recycler_, engine_.space());
  const std::uint32_t count = replay.step.size();
  const auto enter = [&](std::uint32_t lap, std::uint32_t end) {
    const bool is_whole = replay.entered[lap] == 0 && end == count;
    for (std::uint32_t i = replay.entered[lap]; i < end; ++i) {
      const TaskRef ref = replay.step.ref(lap, i);
      if (!ref || TaskArena::is_complete(ref)) continue;
      LinkedSink sink(ref, joins);
      for (const RecordedAccess& access : replay.step.accesses(i)) {
        if (access.target.kind == graph::TargetKind::None) continue;
        if (is_whole && !access.is_exit) continue;
        if (access.is_own) family.domain.note_own_memory();
        family.domain.enter(engine_.space().tree(), access.target, access.top, sink);
      }
    }
  };
  // The newest fresh lap is this one between steps, and the one before in a step.
  for (std::uint32_t runs = replay.fresh_laps; runs != 0; --runs) {
    enter(replay.lap_before(in_step ? runs : runs - 1), count);
  }
  replay.fresh_laps = 0;
  if (in_step) {
    enter(replay.lap, replay.next);
    replay.entered[replay.lap] = replay.next;
    replay.checked_laps = replay.step.lap_count();
  }
  static_cast<void>(stand_in->successors.complete_unshared());
  recycler_.recycle(stand_in);
}

// The running task has waited for all its children.
void Worker::forget_replayed(Interior& family) {
  family.replay->all_ended();
  if (family.replay->mode == Mode::Idle) family.replay = nullptr;
}

// ---- waiting ------------------------------------------------------------------------------------

// Returns when a child of the running task, or what was one, has ended with all its descendants.
void Worker::wait_for_task(TaskRef on) {
  if (!on || TaskArena::is_complete(on)) return;
  Task* waiter = draft(0, 0);
  waiter->site = nullptr;
  waiter->set(graph::kWaiter);
  waiter->parent = task_;
  waiter->waiting.start();
  Linker linker(*waiter, recycler_, engine_.space());
  linker.use_own_edge();
  linker.report(on);
  waiter->waiting.commit_held(linker.linked());
  help_until({*task_->interior, waiter});
  static_cast<void>(waiter->successors.complete_unshared());
  recycler_.recycle(waiter);
  // It has ended before its children.
  if (!TaskArena::is_complete(on)) help_until({*task_->interior, nullptr});
}

// Returns when no task has to do with the nodes any more.
void Worker::wait_for_replayed(Replay& replay) {
  if (!replay.step.has_nodes()) return;
  for (std::uint32_t lap = 0; lap < replay.step.lap_count(); ++lap) {
    for (std::uint32_t i = 0; i < replay.step.size(); ++i) {
      wait_for_task(replay.step.ref(lap, i));
    }
  }
}

}  // namespace myr::engine
