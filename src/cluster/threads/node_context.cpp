// SPDX-License-Identifier: Apache-2.0
//
// NodeContext, first part: tasks and waits.
#include "cluster/threads/node_context.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "cluster/byte_cover.hpp"
#include "cluster/misuse.hpp"
#include "engine/access_check.hpp"
#include "engine/worker_calls.hpp"
#include "plat/clock.hpp"

namespace myr::cluster::threads {

using graph::Target;
using graph::TargetKind;
using graph::Task;
using proto::NodeId;
using proto::Purpose;
using Children = SpreadTask::Children;

namespace {

// Deeper down nothing is spread: each level doubles, at least, what there is to do.
constexpr unsigned kLevelsMax = 16;
// At most one part in so many of its time a thread spends on what its tasks, not main, spread.
constexpr std::uint64_t kSpreadingPart = 10;

}  // namespace

NodeContext::NodeContext(Node& node, engine::Worker& worker) noexcept
    : node_(node), worker_(worker) {}

void NodeContext::adopt_thread() {
  engine::Worker::forget_thread();  // the calls come here
  set_current(this);
}

void NodeContext::leave_thread() { set_current(nullptr); }

void NodeContext::answer(proto::RegionMade made) {
  made_ = made;
  is_answered_ = true;
  worker_.engine().sleepers().post_to(worker_.index());
}

void NodeContext::answer(proto::Allocated allocated) {
  allocated_ = std::move(allocated);
  is_answered_ = true;
  worker_.engine().sleepers().post_to(worker_.index());
}

// ---- who is spread ------------------------------------------------------------------------------

SpreadTask* NodeContext::running() const noexcept {
  Task* const task = worker_.task();
  if (MYR_LIKELY(task->parent != nullptr)) {
    return (task->flags & graph::kSpread) == 0 ? nullptr : &spread_task_of(*task);
  }
  return &node_.main();
}

SpreadTask* NodeContext::running_spreader() const noexcept {
  SpreadTask* const task = running();
  return task != nullptr && task->has_spread() ? task : nullptr;
}

SpreadTask* NodeContext::spreader() {
  SpreadTask* const task = running();
  if (MYR_LIKELY(task == nullptr)) return nullptr;
  const std::uint64_t cost = node_.commons().spreading_ticks();
  if (task->children == Children::Undecided) {
    task->children = is_to_spread(*task) ? Children::Spread : Children::Local;
  } else if (task->has_spread() && !task->is_main() && task->has_fine_children(cost)) {
    wait_for_spread(*task);  // no order is kept between these and others
    task->children = Children::Local;
  }
  return task->has_spread() ? task : nullptr;
}

// Main always does. Another task does if somebody below its home has nothing to do, and its own
// parent is not about to spawn something for them: see docs/design/cluster.md.
bool NodeContext::is_to_spread(const SpreadTask& task) const {
  return task.level < kLevelsMax && plat::ticks() >= spreads_again_ &&
         !task.has_fine_children(node_.commons().spreading_ticks()) &&
         !task.parent->spawns.load(sync::relaxed) &&
         node_.is_work_wanted_below(proto::home_of(task.id));
}

void NodeContext::pay_for_spreading() {
  const std::uint64_t cost = node_.commons().spreading_ticks();
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

void NodeContext::spawn(myr_function function, const myr_access* accesses, std::size_t count,
                        const myr_site* site) {
  SpreadTask* const parent = spreader();
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
  worker_.adopt_child(&task);
  task.set(graph::kSpread);
  auto& self = *new (&spread_task_of(task)) SpreadTask;
  self.parent = &parent;
  self.level = parent.level + 1;
  std::unique_ptr<proto::Task> message = make_task(parent, Purpose::Run, program_of(task));
  myr_access* const accesses = task.accesses();
  for (std::uint32_t i = 0; i < task.access_count; ++i) {
    declare(parent, accesses[i], task, *message);
  }
  message->time = parent.clock.spawn();
  self.clock = proto::SerialClock(message->time);
  node_.send_spawn(worker_, {.task = std::move(message)});
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

// Checks the access of `task`, and says the same to schedulers. They know whole objects only.
void NodeContext::declare(SpreadTask& parent, myr_access& access, Task& task,
                          proto::Task& message) {
  if ((access.flags & (MYR_REGION | MYR_SAFE)) == MYR_REGION && parent.has_freed(access.region)) {
    engine::reject_access(node_.commons().space, *worker_.task(), access,
                          graph::ResolveError::UnknownRegion, task);
  }
  Target target;
  static_cast<void>(
      engine::check_access(node_.commons().space, *worker_.task(), access, target, task));
  if (target.kind == TargetKind::None) return;
  proto::Access known{.mode = mode_of(access), .transfers = (access.flags & MYR_NOTRANSFER) == 0};
  if (target.kind == TargetKind::Region) {
    known.node = NodeId::region(access.region);
  } else if (target.kind == TargetKind::Object) {
    known.node = NodeId::object(target.begin);
    known.is_read = (access.flags & MYR_IN) != 0;
  } else if (target.region != deps::kNoRegion) {
    known.node = NodeId::object(target.object);  // the rest of it is still wanted
  } else {
    message.unmanaged.push_back(
        {.address = target.begin, .bytes = target.end - target.begin, .mode = mode_of(access)});
    const plat::StackBounds stack = worker_.stack();
    const auto* const first = reinterpret_cast<const std::byte*>(target.begin);
    if (first >= stack.low && first < stack.high) parent.lends_stack = true;
    return;
  }
  message.accesses.push_back(std::move(known));
}

// ---- waiting ------------------------------------------------------------------------------------

void NodeContext::wait(const myr_access* accesses, std::size_t count, const myr_site* site) {
  SpreadTask* const task = running_spreader();
  if (MYR_LIKELY(task == nullptr)) return worker_.wait(accesses, count, site);
  Task* const waiter = worker_.draft_waiter(site);
  std::unique_ptr<proto::Task> message =
      make_task(*task, Purpose::Wait, program_of(site, Call::Wait));
  std::vector<myr_access> own(accesses, accesses + count);
  for (myr_access& access : own) declare(*task, access, *waiter, *message);
  pause(*task, waiter, proto::Spawn{.task = std::move(message)});
}

void NodeContext::wait_all() {
  SpreadTask* const task = running();
  if (task == nullptr || !task->has_spread()) {
    worker_.wait_all();
  } else {
    wait_for_spread(*task);
  }
  if (task != nullptr && !task->is_main()) task->children = Children::Undecided;
}

void NodeContext::wait_for_spread(SpreadTask& task) {
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

// Where tasks are spread, schedulers find out who has nothing to do.
bool NodeContext::splits_loops() const { return running() == nullptr && worker_.splits_loops(); }

void NodeContext::submit_to(unsigned worker, const myr_draft& draft, myr_body body,
                            const myr_site* site) {
  const unsigned own = worker - node_.first_worker();
  if (is_draft_spread_ || own >= node_.commons().threads) return submit(draft, body, site);
  worker_.submit_to(own, draft, body, site);
}

bool NodeContext::is_work_wanted() const { return splits_loops() && worker_.is_work_wanted(); }

std::optional<unsigned> NodeContext::take_beggar() {
  const std::optional<unsigned> own = worker_.take_beggar();
  if (!own) return {};
  return node_.first_worker() + *own;
}

// ---- the end ------------------------------------------------------------------------------------

void NodeContext::main_returned() {
  if (!node_.main().lends_stack) return;
  const plat::StackBounds stack = worker_.stack();
  const auto low = reinterpret_cast<std::uintptr_t>(stack.low);
  const auto high = reinterpret_cast<std::uintptr_t>(stack.high);
  node_.send(proto::kTop,
             proto::LocalsGone{.task = proto::kMain,
                               .locals = {.address = low, .bytes = high - low, .mode = {}}});
}

}  // namespace myr::cluster::threads
