// SPDX-License-Identifier: Apache-2.0
#include "cluster/node_context.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/bits.hpp"
#include "cluster/loop_on_nodes.hpp"
#include "cluster/loop_windows.hpp"
#include "engine/access_check.hpp"
#include "engine/worker_calls.hpp"
#include "plat/clock.hpp"

namespace myr::cluster {

using graph::Task;
using proto::NodeId;
using proto::Purpose;
using Children = SpreadTask::Children;

namespace {

// Deeper down nothing is spread: each level doubles, at least, what there is to do.
constexpr unsigned kLevelsMax = 16;
// A thread spends at most one part in so many of its time on what its tasks, not main, spread.
constexpr std::uint64_t kSpreadingPart = 10;

}  // namespace

void NodeServices::tell_locals_gone(const engine::Worker& worker, const SpreadTask& task,
                                    const void* frame) {
  if (!task.lends_stack) return;
  const auto low = reinterpret_cast<std::uintptr_t>(worker.stack().low);
  const auto high = reinterpret_cast<std::uintptr_t>(frame);
  send(proto::home_of(task.id),
       proto::LocalsGone{.task = task.id,
                         .locals = {.address = low, .bytes = high - low, .mode = {}}});
}

void ThreadedNode::send(AgentId to, proto::Body body) {
  const std::scoped_lock lock(lock_);
  post(to, std::move(body));
}

void ThreadedNode::send_spawn(engine::Worker& worker, proto::Spawn spawn) {
  const AgentId home = proto::home_of(spawn.task->parent);
  {
    const std::scoped_lock lock(lock_);
    post(home, std::move(spawn));
    if (MYR_LIKELY(!is_backed_up())) return;
  }
  take_messages_until(worker, [this] { return !is_backed_up(); });
}

void ThreadedNode::pause(engine::Worker& worker, proto::TaskId task, Task* waiter, AgentId to,
                         proto::Body body) {
  {
    const std::scoped_lock lock(lock_);
    waiters_.emplace(task, waiter);
    post(to, std::move(body));
  }
  worker.help_until_over(waiter);
}

bool ThreadedNode::has_spread(const Task& task) const {
  return spread_task_of(const_cast<Task&>(task)).has_spread();
}

void ThreadedNode::await_spread(engine::Worker& worker, Task& task, const void* frame) {
  SpreadTask& self = spread_task_of(task);
  tell_locals_gone(worker, self, frame);
  pause(worker, self.id, worker.draft_waiter(nullptr), proto::home_of(self.id),
        proto::WaitAll{.task = self.id, .time = self.clock.now()});
}

void ThreadedNode::ask(NodeContext& context, AgentId to, proto::Body question) {
  send(to, std::move(question));
  take_messages_until(context.worker(), [&context] { return context.is_answered(); });
}

void ThreadedNode::give_back(proto::GivenBack answer) {
  post(topology_.parent(self_), std::move(answer));
}

void ThreadedNode::take_answer(proto::RegionMade answer) {
  reinterpret_cast<NodeContext*>(answer.request)->answer(answer);
}

void ThreadedNode::take_answer(proto::Allocated answer) {
  reinterpret_cast<NodeContext*>(answer.request)->answer(std::move(answer));
}

AgentUsage ThreadedNode::usage_of(engine::Engine& engine, unsigned first, unsigned count) const {
  AgentUsage usage;
  for (unsigned i = first; i < first + count; ++i) {
    const engine::WorkerStats& stats = engine.worker(i).stats();
    usage.task_ticks += stats.task_ticks;
    usage.runtime_ticks += stats.runtime_ticks;
    usage.idle_ticks += stats.idle_ticks;
    usage.tasks += stats.ran;
  }
  usage.replayed_tasks = agent_.replayed_count();
  return usage;
}

Task* ThreadedNode::take_waiter(proto::TaskId task) {
  const auto found = waiters_.find(task);
  if (found == waiters_.end()) return nullptr;
  Task* const waiter = found->second;
  waiters_.erase(found);
  return waiter;
}

NodeContext::NodeContext(NodeServices& node, engine::Worker& worker) noexcept
    : node_(node), worker_(worker), steps_(*this, /*waits=*/!node.shape().has_long_steps) {}

void NodeContext::adopt_thread() {
  engine::Worker::forget_thread();  // the calls come here
  set_current(this);
}

void NodeContext::leave_thread() { set_current(nullptr); }

void NodeContext::answer(proto::RegionMade made) {
  made_ = made;
  end_question();
}

void NodeContext::answer(proto::Allocated allocated) {
  allocated_ = std::move(allocated);
  end_question();
}

void NodeContext::end_question() {
  is_answered_ = true;
  worker_.engine().sleepers().post_to(worker_.index());
}

// ---- who is spread ------------------------------------------------------------------------------

SpreadTask* NodeContext::running() const noexcept {
  Task* const task = worker_.task();
  if (MYR_LIKELY(task->parent != nullptr)) {
    return (task->flags & graph::kSpread) == 0 ? nullptr : &spread_task_of(*task);
  }
  return worker_.runs_main() ? &node_.main() : nullptr;  // else a guest
}

SpreadTask* NodeContext::running_spreader() const noexcept {
  SpreadTask* const task = running();
  return task != nullptr && task->has_spread() ? task : nullptr;
}

SpreadTask* NodeContext::spreader() {
  SpreadTask* const task = running();
  if (MYR_LIKELY(task == nullptr)) return nullptr;
  const std::uint64_t cost = node_.shape().spreading_ticks;
  if (task->children == Children::Undecided) {
    const bool spreads = !task->is_replayed && (must_spread(*task) || is_to_spread(*task));
    task->children = spreads ? Children::Spread : Children::Local;
  } else if (task->has_spread() && !task->always_spreads && !must_spread(*task) &&
             (!task->is_main() || main_may_keep()) && task->has_fine_children(cost)) {
    wait_for_spread(*task);  // no order is kept between these and others
    task->children = Children::Local;
  }
  return task->has_spread() ? task : nullptr;
}

// Main always does. Another task does if somebody below its home has nothing to do, and its own
// parent is not about to spawn something for them: see docs/design/cluster.md.
bool NodeContext::is_to_spread(const SpreadTask& task) const {
  return task.level < kLevelsMax && !task.has_owners && plat::ticks() >= spreads_again_ &&
         !task.has_fine_children(node_.shape().spreading_ticks) &&
         !task.parent->spawns.load(sync::relaxed) &&
         node_.is_work_wanted_below(proto::home_of(task.id));
}

void NodeContext::pay_for_spreading() {
  const std::uint64_t cost = node_.shape().spreading_ticks;
  spreads_again_ = std::max(spreads_again_, plat::ticks()) + kSpreadingPart * cost;
}

// ---- spawning -----------------------------------------------------------------------------------

myr_draft NodeContext::new_draft(std::size_t closure_bytes, std::size_t access_count) {
  is_draft_spread_ = spreader() != nullptr;
  if (MYR_LIKELY(!is_draft_spread_)) return worker_.new_draft(closure_bytes, access_count);
  Task* const task = worker_.draft(closure_bytes, access_count, sizeof(SpreadTask));
  return {task->closure(), task->accesses(), task};
}

void NodeContext::set_priority(const myr_draft& draft, int priority) {
  if (!is_draft_spread_) worker_.set_priority(draft, priority);
}

void NodeContext::submit(const myr_draft& draft, myr_body body, const myr_site* site) {
  if (MYR_LIKELY(!is_draft_spread_)) return worker_.submit(draft, body, site);
  Task& task = *static_cast<Task*>(draft.task);
  task.body = body;
  task.site = site;
  spread(*running(), task);
}

void NodeContext::submit_two(const myr_draft& draft, const myr_two_bodies& bodies,
                             std::size_t last_count, const myr_site* site) {
  if (is_draft_spread_) return submit(draft, bodies.whole, site);
  worker_.submit_two(draft, bodies, last_count, site);
}

void NodeContext::spawn(myr_function function, const myr_access* accesses, std::size_t count,
                        const myr_site* site) {
  spawn_from(spreader(), function, accesses, count, site);
}

void NodeContext::spawn_from(SpreadTask* parent, myr_function function, const myr_access* accesses,
                             std::size_t count, const myr_site* site) {
  if (MYR_LIKELY(parent == nullptr)) return worker_.spawn(function, accesses, count, site);
  Task& task = *worker_.draft(0, count, sizeof(SpreadTask));
  task.set(graph::kPlainFunction);
  task.function = function;
  task.site = site;
  std::copy(accesses, accesses + count, task.accesses());
  spread(*parent, task);
}

void NodeContext::spread(SpreadTask& parent, Task& task) {
  if (!parent.is_main()) pay_for_spreading();
  task.set(graph::kSpread);
  auto& self = *new (&spread_task_of(task)) SpreadTask;
  self.parent = &parent;
  self.level = parent.level + 1;
  std::unique_ptr<proto::Task> message = make_task(parent, Purpose::Run, 0);
  myr_access* const accesses = task.accesses();
  for (std::uint32_t i = 0; i < task.access_count; ++i) {
    declare(parent, accesses[i], task, *message);
    parent.gives_regions |= (accesses[i].flags & (MYR_REGION | MYR_VALUE)) == MYR_REGION;
  }
  parent.has_spread_some = true;
  message->time = parent.clock.spawn();
  self.clock = proto::SerialClock(message->time);
  hand_over(parent, task, *message);
  issue(parent, std::move(message));
}

// All that a task spawns for schedulers, except its waits, goes through here.
void NodeContext::issue(const SpreadTask& parent, proto::TaskPtr spawn) {
  if (parent.is_main()) {
    steps_.issue(std::move(spawn));
  } else {
    send_spawn({.task = std::move(spawn)});
  }
}

std::unique_ptr<proto::Task> NodeContext::make_task(SpreadTask& parent, Purpose purpose,
                                                    std::uint64_t program) {
  auto task = std::make_unique<proto::Task>();
  task->parent = parent.id;
  task->purpose = purpose;
  task->program = program;
  task->time = parent.clock.now();
  return task;
}

void NodeContext::note_lent_stack(SpreadTask& parent, std::uint64_t first) const noexcept {
  const plat::StackBounds stack = worker_.stack();
  const auto* const begin = reinterpret_cast<const std::byte*>(first);
  if (begin >= stack.low && begin < stack.high) parent.lends_stack = true;
}

// ---- waiting ------------------------------------------------------------------------------------

namespace {
// May it have begun before those that use what it has declared?
bool may_be_early(Task& task) {
  const myr_access* const first = task.accesses();
  return std::any_of(first, first + task.access_count,
                     [](const myr_access& access) { return (access.flags & MYR_WEAK) != 0; });
}
}  // namespace

void NodeContext::wait(const myr_access* accesses, std::size_t count, const myr_site* site) {
  SpreadTask* const task = running_spreader();
  if (MYR_LIKELY(task == nullptr)) return worker_.wait(accesses, count, site);
  Task* const waiter = worker_.draft_waiter(site);
  std::unique_ptr<proto::Task> message =
      make_task(*task, Purpose::Wait, program_of_call(site, Call::Wait));
  std::vector<myr_access> own(accesses, accesses + count);
  for (myr_access& access : own) declare(*task, access, *waiter, *message);
  const bool may_wait =
      task->has_spread_some || !message->accesses.empty() || may_be_early(*worker_.task());
  if (!may_wait) return worker_.discard(*waiter);
  leave_step(*task);
  pause(*task, waiter, proto::Spawn{.task = std::move(message)});
}

void NodeContext::wait_all() {
  SpreadTask* const task = running();
  if (task == nullptr || !task->has_spread()) {
    worker_.wait_all();
  } else {
    wait_for_spread(*task);
  }
  if (task != nullptr) task->all_have_ended();
}

void NodeContext::wait_for_spread(SpreadTask& task) {
  leave_step(task);
  pause(task, worker_.draft_waiter(nullptr),
        proto::WaitAll{.task = task.id, .time = task.clock.now()});
}

void NodeContext::pause(SpreadTask& task, Task* waiter, proto::Body body) {
  task.spawns.store(false, sync::relaxed);
  node_.pause(worker_, task.id, waiter, proto::home_of(task.id), std::move(body));
  task.spawns.store(true, sync::relaxed);
}

std::uint64_t NodeContext::new_event(const myr_site* site) { return worker_.new_event(site); }

void NodeContext::fail(base::Exception exception) { worker_.fail(std::move(exception)); }

std::optional<base::Failure> NodeContext::take_failure() { return worker_.take_failure(); }

// ---- loops --------------------------------------------------------------------------------------

// Where tasks are spread, schedulers find out which workers have nothing to do.
bool NodeContext::splits_loops() const { return running() == nullptr && worker_.splits_loops(); }

// A loop of one part is less as a task; so are parts whose footprints are shorter than windows,
// perhaps as they name regions. In a step that main marks, parts are tasks of the step.
bool NodeContext::is_better_in_parts(const SpreadTask& parent, const base::WholeLoop& loop) const {
  return loop.part_count() == 1 || (parent.is_main() && steps_.is_in_step()) ||
         has_short_footprints(loop);
}

bool NodeContext::submit_whole(const base::WholeLoop& loop, const myr_site* site) {
  SpreadTask* const parent = spreader();
  if (parent == nullptr) return false;
  if (!prefers_whole_loops() && is_better_in_parts(*parent, loop)) return false;
  if (!may_go_whole(*parent, loop)) return false;
  std::vector<myr_access> regions = regions_of(*loop.what);
  Task& whole = *worker_.draft(sizeof(LoopOnNodes), 0);
  whole.site = site;
  std::unique_ptr<proto::Task> message = make_task(*parent, Purpose::Spread, 0);
  for (myr_access& region : regions) declare(*parent, region, whole, *message);
  message->loop = message_of(loop);
  if (!hand_over_loop(*parent, whole, loop, *message)) {
    worker_.discard(whole);
    return false;
  }
  if (!parent->is_main()) pay_for_spreading();
  parent->has_spread_some = true;
  message->time = parent->clock.spawn();
  issue(*parent, std::move(message));
  return true;
}

void NodeContext::submit_to(const sync::Placement& best, const myr_draft& draft, myr_body body,
                            const myr_site* site) {
  const unsigned own = best.worker(worker_count()) - node_.shape().first_worker;
  if (is_draft_spread_ || own >= node_.shape().threads) return submit(draft, body, site);
  worker_.submit_to(sync::Placement::at(own), draft, body, site);
}

bool NodeContext::is_work_wanted() const { return splits_loops() && worker_.is_work_wanted(); }

std::optional<unsigned> NodeContext::take_beggar() {
  const std::optional<unsigned> own = worker_.take_beggar();
  if (!own) return {};
  return node_.shape().first_worker + *own;
}

// ---- memory -------------------------------------------------------------------------------------

void NodeContext::check_not_freed(myr_region region, const char* call, const myr_site* site) const {
  const SpreadTask* const task = running_spreader();
  if (task != nullptr && task->has_freed(region)) engine::reject_region(region, call, site);
}

// Its id is kept when it is freed: the tasks that come before the free are not to run either.
void NodeContext::cancel_region(myr_region region, const myr_site* site) {
  check_not_freed(region, "myr_region_cancel", site);
  worker_.cancel_region(region, site);
}

myr_region NodeContext::ask_for_region(AgentId asker, myr_region parent, int level_hint,
                                       const myr_site* site) {
  const NodeId above = NodeId::region(parent);
  begin_question();
  node_.ask(*this, proto::owner_of_region(above),
            proto::NewRegion{.request = reinterpret_cast<std::uintptr_t>(this),
                             .asker = asker,
                             .parent = above,
                             .level_hint = level_hint});
  if (!made_.is_parent_known) engine::reject_region(parent, "myr_region_new", site);
  if (!made_.made) engine::Worker::report_no_memory("myr_region_new", 0, site);
  return made_.region.value();
}

void NodeContext::ask_for_objects(AgentId asker, std::size_t bytes, myr_region region,
                                  std::size_t count, void** objects, const char* call,
                                  const myr_site* site) {
  const NodeId node = NodeId::region(region);
  SpreadTask* const task = running_spreader();
  begin_question();
  node_.ask(*this, proto::owner_of_region(node),
            proto::Allocate{.request = reinterpret_cast<std::uintptr_t>(this),
                            .asker = asker,
                            .region = node,
                            .bytes = bytes,
                            .count = count,
                            .time = task == nullptr ? proto::SerialTime{} : task->clock.now()});
  if (!allocated_.is_region_known) engine::reject_region(region, call, site);
  if (allocated_.addresses.size() != count) {
    engine::Worker::report_no_memory(call, base::saturated_product(bytes, count), site);
  }
  std::transform(allocated_.addresses.begin(), allocated_.addresses.end(), objects,
                 [](std::uint64_t address) { return reinterpret_cast<void*>(address); });
}

void NodeContext::send_free(SpreadTask& parent, Purpose purpose, NodeId node,
                            const myr_site* site) {
  const auto call = purpose == Purpose::FreeObject ? Call::Free : Call::FreeRegion;
  std::unique_ptr<proto::Task> task = make_task(parent, purpose, program_of_call(site, call));
  task->accesses.push_back({.node = node, .mode = proto::Mode::Write});
  issue(parent, std::move(task));
}

// ---- steps that main marks ----------------------------------------------------------------------

void NodeContext::begin_step(std::unique_ptr<base::StepRecord>& record, const myr_site*) {
  const SpreadTask* const task = running();
  if (task == nullptr || !task->is_main() || !task->has_spread() || !replays_steps()) return;
  steps_.begin(record);
}

void NodeContext::end_step(base::StepRecord* record, const myr_site* site) {
  const SpreadTask* const task = running();
  if (task != nullptr && task->is_main() && steps_.is_in(record)) steps_.end(site);
}

void NodeContext::leave_step(const SpreadTask& task) {
  if (task.is_main()) steps_.leave();
}

proto::TaskPtr NodeContext::make_unit(const myr_site* site) {
  return make_task(node_.main(), Purpose::Hold, program_of_call(site, Call::Wait));
}

void NodeContext::tell_run(proto::StepRun run) {
  if (!run.waits) return tell(std::move(run));
  pause(node_.main(), worker_.draft_waiter(nullptr), std::move(run));
}

// ---- the end ------------------------------------------------------------------------------------

void NodeContext::main_ends(const void* kept) {
  steps_.leave();
  node_.tell_locals_gone(worker_, node_.main(), worker_.end_of_gone(kept));
}

}  // namespace myr::cluster
