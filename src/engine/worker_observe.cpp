// SPDX-License-Identifier: Apache-2.0
//
// A part of Worker: what --stats, --trace and --graph get to see. Apart from the rest, so that a
// run which nobody observes pays for one flag a station of a task's life, and nothing else.
#include <algorithm>

#include "base/misuse.hpp"
#include "base/refusal.hpp"
#include "engine/engine.hpp"
#include "engine/observer.hpp"
#include "engine/worker.hpp"
#include "graph/resolve.hpp"
#include "graph/task_arena.hpp"

namespace myr::engine {

using graph::Task;
using graph::TaskRef;
using trace::State;

namespace {

sync::Tally WorkerStats::* bucket_of(State state) noexcept {
  switch (state) {
    case State::Task:
      return &WorkerStats::task_ticks;
    case State::Runtime:
      return &WorkerStats::runtime_ticks;
    case State::Idle:
    case State::Asleep:
      break;
    case State::Memory:
    case State::Wait:  // of machines of agents
      break;
  }
  return &WorkerStats::idle_ticks;
}

trace::TaskId id_of(const Task& task) noexcept {
  return task.parent == nullptr ? trace::TaskId::main() : trace::TaskId(task.home, task.order);
}

// Takes all conflicts as edges, also those with tasks that have ended: what the program means does
// not depend on how fast it ran.
class EdgeSink final : public graph::ConflictSink {
 public:
  EdgeSink(TaskRef task, trace::GraphRecord& graph, const graph::JoinLog& joins) noexcept
      : ConflictSink(task), graph_(graph), joins_(joins) {}

 private:
  void wait_for(TaskRef on) override {
    joins_.for_each_behind(
        on, [&](TaskRef task) { graph_.add_edge({.from = task.bits, .to = self().bits}); });
  }
  // It only looks at a domain, so it makes no joins.
  TaskRef join(const graph::RefSet&, const myr_access&) override { return {}; }

  trace::GraphRecord& graph_;
  const graph::JoinLog& joins_;
};

}  // namespace

// It is found out behind each body, where observers look.
void Worker::disown() {
  is_disowned_ = true;
  observed_.raise();
}

void Worker::observe_state(State state) {
  const EngineOptions& options = engine_.options();
  if (!options.measure_time && options.recording == nullptr) return;  // an error handler's
  const std::uint64_t now = plat::ticks();
  stats_.*bucket_of(state) += now - mark_ticks_;
  if (lines_ != nullptr) observe_line(state, now - mark_ticks_);
  if (timeline_ != nullptr) {
    timeline_->add_span({.begin_ticks = mark_ticks_, .end_ticks = now, .state = state});
  }
  mark_ticks_ = now;
}

// The worker is about to sleep.
void Worker::observe_rest() {
  observe_state(State::Idle);
  if (lines_ != nullptr) lines_->about_to_sleep();
}

void Worker::observe_line(State state, std::uint64_t ticks) {
  if (state == State::Task) lines_->add(*task_, ticks);
  if (state == State::Runtime) lines_->add_runtime(ticks);
  if (state == State::Idle) lines_->add_idle(ticks);
  if (state == State::Asleep) lines_->add_sleep(ticks);
}

// The task's body is about to be called.
void Worker::observe_begin(Task& task) {
  observe_state(State::Runtime);
  if (lines_ != nullptr) lines_->begin(task);
  if (timeline_ != nullptr) timeline_->begin_task(mark_ticks_, id_of(task), task.site);
  if (Checker* const checker = engine_.options().checker) {
    checker->begin({.site = task.site,
                    .accesses = task.accesses(),
                    .access_count = task.access_count,
                    .closure = task.closure(),
                    .stack = __builtin_frame_address(0),
                    .is_first_of_two = (task.flags & graph::kFirstOfTwo) != 0,
                    .stays = (task.flags & graph::kStays) != 0});
  }
  if (observer != nullptr && observer->begin != nullptr) {
    observer->begin(observer->data, task.site, worker_index());
  }
}

// The body has returned.
void Worker::observe_end() {
  if (is_disowned_) {
    base::misuse(task_->site,
                 "the task spawned here has called fork(), and the child process returns from it, "
                 "where all other threads are missing; let the child call _exit() or exec()");
  }
  if (observer != nullptr && observer->end != nullptr) {
    observer->end(observer->data, task_->site, worker_index());
  }
  if (Checker* const checker = engine_.options().checker) checker->end();
  observe_state(State::Task);
  if (lines_ != nullptr) lines_->end(*task_);
  if (timeline_ != nullptr) timeline_->end_task(mark_ticks_);
}

// A child of the running task is about to be linked. If it is refused, its memory goes the way of a
// task that uses nothing and does nothing.
void Worker::observe_child(Task& task) {
  if (base::has_error_handler()) {
    try {
      check_accesses(&task);
    } catch (const base::Refusal&) {
      task_->interior->spawned -= 1;
      stats_.spawned -= 1;
      make_nothing_of(task);
      submit(&task);
      throw;
    }
  }
  observe_waiter(task);
}

// A waiter for the running task, or a child, is about to be linked.
void Worker::observe_waiter(Task& task) {
  if ((task.flags & graph::kWaiter) != 0 && base::has_error_handler()) check_accesses(&task);
  observe_state(State::Task);
  if (graph_ != nullptr) record_in_graph(task);
}

void Worker::make_nothing_of(Task& task) {
  if ((task.flags & graph::kPlainFunction) == 0) task.body(task.closure(), MYR_CANCELLED);
  task.unset(graph::kPlainFunction);
  task.body = [](void*, const myr_access*) {};
  std::fill_n(task.accesses(), task.access_count, myr_pointer(nullptr));
}

// For a task that may run as two, both of which go on with what is right.
void Worker::check_first(Task& task, myr_body whole, const myr_site* site) {
  if (!base::has_error_handler()) return;
  task.site = site;
  task.body = whole;
  try {
    check_accesses(&task);
  } catch (const base::Refusal&) {
    make_nothing_of(task);
    submit(&task);
    throw;
  }
}

void Worker::record_in_graph(Task& task) {
  const TaskRef ref = graph::TaskArena::ref(&task);
  const bool is_wait = (task.flags & graph::kWaiter) != 0;
  const bool has_room = graph_->add_node({.spawn_ticks = mark_ticks_,
                                          .key = ref.bits,
                                          .task = is_wait ? trace::TaskId::main() : id_of(task),
                                          .parent = id_of(*task_),
                                          .site = task.site,
                                          .is_wait = is_wait});
  if (!has_room) return;
  EdgeSink sink(ref, *graph_, *recycler_.join_log());
  myr_access* accesses = task.accesses();
  for (std::uint32_t i = 0; i < task.access_count; ++i) {
    graph::Target target;
    myr_access access = accesses[i];
    // An access that is wrong is reported when it is linked.
    if (resolve(engine_.space(), access, target) != graph::ResolveError::None) continue;
    if (target.kind == graph::TargetKind::None) continue;
    task_->interior->domain.report_conflicts(engine_.space().tree(), target, sink);
  }
}

void Worker::observe_steal(const Worker& victim, unsigned count) {
  if (timeline_ == nullptr) return;
  timeline_->add_steal({.ticks = plat::ticks(), .victim = victim.index(), .task_count = count});
}

}  // namespace myr::engine
