// SPDX-License-Identifier: Apache-2.0
//
// AgentContext, first part: tasks and waits.
#include "cluster/agent_context.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "base/refusal.hpp"
#include "cluster/declare.hpp"
#include "cluster/loop_task.hpp"
#include "cluster/misuse.hpp"

namespace myr::cluster {

using proto::Purpose;

AgentContext::AgentContext(const sched::Topology& topology, AgentId self) noexcept
    : topology_(topology),
      self_(self),
      index_(topology.worker_number(self)),
      steps_(*this, /*waits=*/false) {}

UserTask& AgentContext::draft(std::size_t closure_bytes, std::size_t access_count) {
  draft_ = UserTask::make(task_, closure_bytes, access_count);
  if (draft_ == nullptr) throw std::bad_alloc();
  return *draft_;
}

myr_draft AgentContext::new_draft(std::size_t closure_bytes, std::size_t access_count) {
  UserTask& task = draft(closure_bytes, access_count);
  return {task.closure(), task.accesses(), &task};
}

void AgentContext::submit(const myr_draft&, myr_body body, const myr_site* site) {
  draft_->body = body;
  draft_->site = site;
  submit_draft();
}

void AgentContext::submit_draft() {
  const Calling calling(*this);
  UserTask& child = *draft_;
  std::unique_ptr<proto::Task> task = make_task(Purpose::Run, 0);
  declare_all("spawn", child.site, child.accesses(), child.access_count(), *task);
  if (task_->is_replayed) return run_draft_here();
  note_lent_stack(*task);
  send_off(std::move(task));
}

// The draft, of which the message tells.
void AgentContext::send_off(std::unique_ptr<proto::Task> message) {
  task_->has_spawned = true;
  message->time = task_->clock.spawn();
  draft_->clock = proto::SerialClock(message->time);
  draft_->name = trace::TaskId(index_, tasks_spawned_++);
  message->program = program_of(*draft_.release());  // run() is given it again
  issue(std::move(message));
}

// A task of a step that is replayed is one for its scheduler, whatever it does: it holds all that
// its child uses.
void AgentContext::run_draft_here() {
  UserTask& parent = *task_;
  const UserTaskPtr child = std::move(draft_);
  parent.has_spawned = true;
  child->is_replayed = true;
  child->id = parent.id;  // whose strand it is on
  child->clock = proto::SerialClock(parent.clock.spawn());
  child->name = trace::TaskId(index_, tasks_spawned_++);
  task_stops();
  task_ = child.get();
  run_body(*child);
  task_ = &parent;
  task_begins(parent);
}

// A task may hold objects and not their regions, through which a whole loop goes.
bool AgentContext::holds(std::span<const myr_access> regions) const {
  if (task_->is_main()) return true;
  const deps::RegionTree& tree = region_tree();
  const std::span<const myr_access> held = task_->arguments();
  return std::all_of(regions.begin(), regions.end(), [&](const myr_access& access) {
    const deps::RegionIndex region = tree.find(access.region);
    const auto is_around = [&](const myr_access& own) {
      if ((own.flags & (MYR_REGION | MYR_VALUE)) != MYR_REGION) return false;
      const deps::RegionIndex outer = tree.find(own.region);
      return outer != deps::kNoRegion && tree.encloses(outer, region);
    };
    return region != deps::kNoRegion && std::any_of(held.begin(), held.end(), is_around);
  });
}

bool AgentContext::submit_whole(const base::WholeLoop& loop, const myr_site* site) {
  if (task_->is_replayed) return false;
  std::vector<myr_access> regions = LoopTask::regions_of(*loop.what);
  if (!holds(regions)) return false;
  const Calling calling(*this);
  LoopTask::check_windows(*loop.what, region_tree(), site);
  UserTask& task = draft(sizeof(LoopTask), regions.size());
  std::copy(regions.begin(), regions.end(), task.accesses());
  new (task.closure()) LoopTask{.loop = loop, .parts_left{loop.part_count()}};
  task.site = site;
  std::unique_ptr<proto::Task> message = make_task(Purpose::Spread, 0);
  declare_all("a loop", site, task.accesses(), regions.size(), *message);
  message->loop = LoopTask::message_of(loop);
  task.end();  // its parts are the running task's, when they throw
  send_off(std::move(message));
  return true;
}

void AgentContext::spawn(myr_function function, const myr_access* accesses, std::size_t count,
                         const myr_site* site) {
  UserTask& child = draft(0, count);
  std::copy(accesses, accesses + count, child.accesses());
  child.function = function;
  child.site = site;
  submit_draft();
}

void AgentContext::wait(const myr_access* accesses, std::size_t count, const myr_site* site) {
  const Calling calling(*this);
  std::unique_ptr<proto::Task> task = make_task(Purpose::Wait, program_of(site, Call::Wait));
  std::vector<myr_access> own(accesses, accesses + count);
  declare_all("wait", site, own.data(), count, *task);
  if (task_->is_replayed) return;  // its children have ended
  // It has none; but what schedulers know they look at themselves, as it may be a mistake.
  if (!task_->has_spawned && task->accesses.empty()) return;
  issue(std::move(task));
  pause();
}

void AgentContext::wait_all() {
  const Calling calling(*this);
  if (task_->is_replayed) return;
  leave_step();
  send(proto::home_of(task_->id), proto::WaitAll{.task = task_->id, .time = task_->clock.now()});
  pause();
}

std::optional<base::Failure> AgentContext::take_failure() {
  const std::unique_ptr<Failure> taken = task_->take_failure();
  if (taken == nullptr) return {};
  return std::move(taken->what);
}

std::uint64_t AgentContext::new_event(const myr_site* site) {
  if (task_->is_main()) {
    base::refuse(site, "an event outside of a task: there is no task that it could hold open");
  }
  if (task_->held == nullptr) task_->held = std::make_unique<sync::EventHolder>();
  return sync::Events::instance().open(*task_->held, site);
}

// The body has returned: its worker waits for what holds the task open. If that is not over, its
// children, of which some may be to complete it, perhaps on this worker, end first.
void AgentContext::await_events() {
  sync::Events& events = sync::Events::instance();
  if (events.is_open(*task_->held)) wait_all();
  before_blocking();
  events.await(*task_->held);
  if (base::Exception failure = events.take_failure(*task_->held)) task_->fail(std::move(failure));
}

// Until the wait of the running task is over.
void AgentContext::pause() {
  const UserTask& waiting = *task_;
  task_stops();
  await_wait_over();
  task_begins(waiting);
}

void AgentContext::run(UserTaskPtr task, proto::TaskId id) {
  task->id = id;
  resume(*task);
  tasks_replayed_ += task->is_replayed;
  run_body(*task);
  static_cast<void>(leave());
  ended(*task);
}

void AgentContext::run_body(UserTask& task) {
  tasks_run_ += 1;
  task_begins(task);
  task.call();
  if (task.held != nullptr) await_events();
  body_returned();
  task_stops();
  tell_locals_gone(__builtin_frame_address(0));
  task.end();
}

void AgentContext::main_returned() {
  leave_step();
  tell_locals_gone(stack().high);
}

// ---- steps that main marks ----------------------------------------------------------------------

void AgentContext::begin_step(std::unique_ptr<base::StepRecord>& record, const myr_site*) {
  if (replays_steps() && task_->is_main()) steps_.begin(record);
}

void AgentContext::end_step(base::StepRecord* record, const myr_site* site) {
  if (!task_->is_main() || !steps_.is_in(record)) return;
  const Calling calling(*this);
  steps_.end(site);
}

proto::TaskPtr AgentContext::make_unit(const myr_site* site) {
  return make_task(Purpose::Hold, program_of(site, Call::Wait));
}

// All that the running task spawns for schedulers goes through here.
void AgentContext::issue(proto::TaskPtr spawn) {
  if (task_->is_main()) {
    steps_.issue(std::move(spawn));
  } else {
    send_spawn({.task = std::move(spawn)});
  }
}

void AgentContext::leave_step() {
  if (task_->is_main()) steps_.leave();
}

// The frames below `frame` are gone.
void AgentContext::tell_locals_gone(const void* frame) {
  if (!task_->lends_stack) return;
  const auto low = reinterpret_cast<std::uintptr_t>(stack().low);
  const auto high = reinterpret_cast<std::uintptr_t>(frame);
  send(proto::home_of(task_->id),
       proto::LocalsGone{.task = task_->id,
                         .locals = {.address = low, .bytes = high - low, .mode = {}}});
}

void AgentContext::note_lent_stack(const proto::Task& task) const {
  if (task.ranges.empty()) return;
  const plat::StackBounds bounds = stack();
  const auto low = reinterpret_cast<std::uintptr_t>(bounds.low);
  const auto high = reinterpret_cast<std::uintptr_t>(bounds.high);
  for (const proto::UsedRange& range : task.ranges) {
    if (range.address >= low && range.address < high) task_->lends_stack = true;
  }
}

std::unique_ptr<proto::Task> AgentContext::make_task(Purpose purpose, std::uint64_t program) const {
  auto task = std::make_unique<proto::Task>();
  task->parent = task_->id;
  task->purpose = purpose;
  task->program = program;
  task->time = task_->clock.now();
  return task;
}

void AgentContext::declare_all(const char* call, const myr_site* site, myr_access* accesses,
                               std::size_t count, proto::Task& task) const {
  const Declaring declaring{.holder = *task_, .topology = topology_, .call = call, .site = site};
  for (std::size_t i = 0; i < count; ++i) declare(declaring, accesses[i], task);
}

}  // namespace myr::cluster
