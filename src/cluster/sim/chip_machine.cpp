// SPDX-License-Identifier: Apache-2.0
#include "cluster/sim/chip_machine.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "cluster/heap_store.hpp"
#include "cluster/loop_on_nodes.hpp"
#include "cluster/memory_map.hpp"
#include "cluster/misuse.hpp"
#include "cluster/sim/core_map.hpp"
#include "cluster/sim/task_memory.hpp"
#include "cluster/tree_context.hpp"
#include "graph/task_arena.hpp"
#include "mem/heap.hpp"
#include "plat/clock.hpp"
#include "plat/task_stack.hpp"
#include "sched/scheduler.hpp"

namespace myr::cluster::sim {

using plat::Fiber;

namespace {

// That have begun and not ended.
constexpr std::size_t kTasksMax = 16'384;

Memory heap_memory(proto::PageRun pages, graph::RegionSpace& space) {
  return {.make_store =
              [&space](std::uint32_t index) { return std::make_unique<HeapStore>(index, space); },
          .pages = pages};
}

}  // namespace

// ---- a worker of the chip ---------------------------------------------------------------------

class ChipContext final : public TreeContext {
 public:
  // Tasks that may allocate always spread, so nobody looks for a store.
  ChipContext(ChipNode& node, engine::Worker& worker, graph::RegionSpace& space);

  [[nodiscard]] ChipNode& node() noexcept { return node_; }

  void work(std::uint64_t cycles) override;
  void touch(const base::TouchedRows& rows) override;
  [[nodiscard]] std::uint64_t cycles() override;

 private:
  [[nodiscard]] bool replays_steps() const override;
  [[nodiscard]] bool prefers_whole_loops() const override { return true; }
  void compared(const proto::Task& spawn) override;

  static const std::vector<HeapStore*> kNoStores;
  ChipNode& node_;
};

class ChipNode final : public NodeServices {
 public:
  ChipNode(ChipMachine& machine, AgentId self)
      : NodeServices(machine.topology_, self,
                     {.threads = 1,
                      .first_worker = machine.topology_.worker_number(self),
                      .worker_count = static_cast<unsigned>(machine.topology_.workers().size()),
                      .has_long_steps = true}),
        chip_(machine),
        context_(*this, machine.worker(), *machine.space_) {
    if (!machine.chip_.shares_memory()) return;
    const auto cores = map_to_cores(machine.topology_, machine.chip_);
    memory_.emplace(machine.chip_.number_of(cores.value()[self]),
                    memory_map(machine.options_.placement));
  }

  // On the stack of the events. Returns when the task has left its own, or has ended.
  void begin(const proto::Work& work);
  // Main, which is on the calling stack, begins when the chip comes to that.
  void begin_main() {
    task_ = &main();
    suspend();
  }
  // The body of the running task has returned; the task has ended.
  void body_ended(graph::Task& task, const void* frame);
  void ended(TaskId task);
  void end_main() { leave_task(); }

  // The task that waits for an answer.
  [[nodiscard]] TaskId asking() const noexcept { return asking_; }
  [[nodiscard]] std::uint64_t tasks_run() const noexcept { return tasks_run_; }
  [[nodiscard]] std::uint64_t tasks_replayed() const noexcept { return tasks_replayed_; }

  // ---- NodeServices
  void send(AgentId to, proto::Body body) override {
    catch_up();
    chip_.machine_.send(to, std::move(body));
  }
  void send_spawn(engine::Worker& worker, proto::Spawn spawn) override;
  void pause(engine::Worker& worker, TaskId task, graph::Task* waiter, AgentId to,
             proto::Body body) override;
  void ask(NodeContext& context, AgentId to, proto::Body question) override;
  [[nodiscard]] bool is_work_wanted_below(AgentId) const override { return false; }

  // ---- for the context, about the running task
  void work(Cycles cycles) {
    if (has_memory()) return memory_->work(*task_, cycles);
    chip_.machine_.work(cycles);
  }
  void touch(const scc::Extent& extent) {
    if (has_memory()) memory_->touch(*task_, extent);
  }
  [[nodiscard]] Cycles now() {
    settle();
    end_slice();
    return chip_.machine_.now();
  }
  void spend(Cycles cycles) { chip_.machine_.spend(cycles); }
  [[nodiscard]] const Chip& chip() const noexcept { return chip_.chip_; }

 private:
  // Does the running task go through caches? Main's own accesses do not count.
  [[nodiscard]] bool has_memory() const noexcept { return memory_ && !task_->is_main(); }
  // What the task has computed by now takes its time now, not between bursts.
  void settle() {
    if (has_memory()) chip_.machine_.work(memory_->take_work(*task_));
  }
  void walk(scc::BurstWalk walk, bool is_flush);
  void pass(Cycles cycles, bool is_flush) {
    is_flush ? chip_.machine_.spend(cycles) : chip_.machine_.work(cycles);
  }

  // What has come while the task worked is handled first.
  void catch_up() {
    settle();
    end_slice();
    if (chip_.machine_.now() == began_) return;
    chip_.machine_.resume_later(task_->id);
    suspend();
  }
  void suspend() {
    SpreadTask& task = leave_task();
    chip_.leave(task.id);
    enter(task);
    begin_slice();
  }
  void enter(SpreadTask& task) {
    task_ = &task;
    chip_.running_ = this;
    ran_before_ = chip_.worker().stats().ran;
    context_.adopt_thread();
  }
  SpreadTask& leave_task() {
    tasks_run_ += chip_.worker().stats().ran - ran_before_;
    NodeContext::leave_thread();
    chip_.running_ = nullptr;
    return *std::exchange(task_, nullptr);
  }

  // What the host needs counts, if that is wanted.
  void begin_slice() {
    began_ = chip_.machine_.now();
    if (chip_.options_.cycles_per_ns != 0) began_ns_ = plat::now_ns();
  }
  void end_slice() {
    const double cycles_per_ns = chip_.options_.cycles_per_ns;
    if (cycles_per_ns == 0) return;
    const std::uint64_t now = plat::now_ns();
    const double spent = static_cast<double>(now - std::exchange(began_ns_, now));
    chip_.machine_.work(static_cast<Cycles>(spent * cycles_per_ns));
  }

  // ---- for those who watch
  [[nodiscard]] trace::Timeline* timeline() const {
    trace::Recording* const recording = chip_.options_.recording;
    return recording == nullptr || task_->is_main() ? nullptr : recording->timeline(self());
  }
  void task_begins(const graph::Task& task) const {
    if (trace::Timeline* const track = timeline()) {
      track->begin_task(chip_.machine_.now(), trace::TaskId(task.home, task.order), task.site);
    }
  }
  void task_stops() const {
    if (trace::Timeline* const track = timeline()) track->end_task(chip_.machine_.now());
  }

  ChipMachine& chip_;
  ChipContext context_;
  std::optional<TaskMemory> memory_;  // of a chip that shares it
  SpreadTask* task_ = nullptr;        // the running one
  TaskId asking_ = 0;
  Cycles began_ = 0;
  std::uint64_t began_ns_ = 0;
  std::uint64_t ran_before_ = 0;
  std::uint64_t tasks_run_ = 0;
  std::uint64_t tasks_replayed_ = 0;
  // For the task whose body has returned:
  bool was_replayed_ = false;
  bool has_spawned_ = false;
  std::uint32_t access_count_ = 0;
};

void ChipNode::begin(const proto::Work& work) {
  begin_slice();
  engine::Worker& worker = chip_.worker();
  graph::Task& whole = graph_task_of(work.program);
  graph::Task& task = work.iterations.none() ? whole : make_part(worker, whole, work);
  SpreadTask& self = spread_task_of(task);
  self.id = work.task;
  self.is_replayed = work.place.is_replayed;
  // A task of a step that is replayed is one for its scheduler, whatever it does: it holds all that
  // its children use, and runs them.
  self.always_spreads = !self.is_replayed;
  self.children = self.is_replayed ? SpreadTask::Children::Local : SpreadTask::Children::Spread;
  tasks_replayed_ += self.is_replayed ? 1 : 0;
  if (memory_) {
    chip_.machine_.spend(scc::kCosts.second_invalidate);
    memory_->begin(self, {task.accesses(), task.access_count});
  }
  worker.accept(task);
  enter(self);
  task_begins(task);
  worker.begin_from(chip_.home_, task);
}

void ChipNode::body_ended(graph::Task& task, const void* frame) {
  // The body has run at once; what it did takes its time now, burst by burst, beside other cores.
  if (has_memory()) {
    walk(memory_->end(*task_), false);
    walk(memory_->flush(), true);
  }
  task_stops();
  tell_locals_gone(chip_.worker(), *task_, frame);
  was_replayed_ = task_->is_replayed;
  has_spawned_ = task.interior->spawned != 0;
  access_count_ = task.access_count;
  task_->let_go();
}

void ChipNode::ended(TaskId task) {
  end_slice();
  static_cast<void>(leave_task());
  if (was_replayed_) {
    chip_.machine_.ended_replayed(task, has_spawned_);
  } else {
    chip_.machine_.ended(task, access_count_);
  }
}

void ChipNode::send_spawn(engine::Worker&, proto::Spawn spawn) {
  if (has_memory()) memory_->share(*task_);
  catch_up();
  if (!chip_.machine_.may_spawn()) {
    chip_.machine_.resume_when_spawned(task_->id);
    suspend();
  }
  chip_.machine_.spawn(std::move(spawn));
}

void ChipNode::pause(engine::Worker& worker, TaskId task, graph::Task* waiter, AgentId to,
                     proto::Body body) {
  if (auto* const spawn = std::get_if<proto::Spawn>(&body)) {
    send_spawn(worker, std::move(*spawn));
  } else {
    send(to, std::move(body));
  }
  if (has_memory()) memory_->share(*task_);
  task_stops();
  chip_.machine_.waits(task);
  suspend();
  task_begins(*worker.task());
  worker.discard(*waiter);
}

void ChipNode::ask(NodeContext&, AgentId to, proto::Body question) {
  send(to, std::move(question));
  asking_ = task_->id;
  suspend();
}

void ChipNode::walk(scc::BurstWalk walk, bool is_flush) {
  while (!walk.is_over()) {
    const Cycles now = chip_.machine_.now();
    pass(walk.step(memory_->core(), chip_.controllers_, now) - now, is_flush);
    chip_.machine_.resume_later(task_->id);
    suspend();
  }
  pass(walk.work_left(), is_flush);
}

// ---- what its tasks call ------------------------------------------------------------------------

const std::vector<HeapStore*> ChipContext::kNoStores;

ChipContext::ChipContext(ChipNode& node, engine::Worker& worker, graph::RegionSpace& space)
    : TreeContext(node, worker, space, kNoStores), node_(node) {}

void ChipContext::work(std::uint64_t cycles) { node_.work(cycles); }

std::uint64_t ChipContext::cycles() { return node_.now(); }

void ChipContext::touch(const base::TouchedRows& rows) {
  for (const scc::Extent& row : extents_of(rows)) node_.touch(row);
}

// What a task touches in shared memory belongs to it alone.
bool ChipContext::replays_steps() const { return !node_.chip().shares_memory(); }

void ChipContext::compared(const proto::Task& spawn) {
  const transport::sim::Costs& costs = node_.chip().costs();
  const std::size_t objects = spawn.loop == nullptr ? 0 : spawn.loop->objects.size();
  node_.spend(costs.compare_task + spawn.accesses.size() * costs.compare_access +
              objects * costs.compare_object);
}

// ---- the machine ------------------------------------------------------------------------------

base::Result<std::unique_ptr<cluster::Machine>> ChipMachine::create(sched::Topology topology,
                                                                    Chip chip,
                                                                    const Options& options) {
  if (auto heap = mem::Heap::create(); !heap) return heap.error();
  if (auto tasks = graph::TaskArena::reserve(); !tasks) return tasks.error();
  graph::TaskArena::clear();
  auto space = graph::RegionSpace::create_for_agents();
  if (!space) return space.error();
  const proto::PageRun memory = HeapStore::take_memory(kSharedPages);
  std::unique_ptr<ChipMachine> machine(
      new ChipMachine(std::move(topology), std::move(chip), options, std::move(*space), memory));
  if (auto started = machine->start(); !started) return started.error();
  return std::unique_ptr<cluster::Machine>(std::move(machine));
}

ChipMachine::ChipMachine(sched::Topology topology, Chip chip, const Options& options,
                         std::unique_ptr<graph::RegionSpace> space, proto::PageRun memory)
    : space_(std::move(space)),
      topology_(std::move(topology)),
      chip_(std::move(chip)),
      options_(options),
      machine_(topology_, chip_,
               // Where memory is shared, no core is nearer to data because it has had them.
               {.load_percent = chip_.shares_memory() ? 100 : options.load_percent,
                .recording = options.recording,
                .chaos = options.chaos},
               *this, heap_memory(memory, *space_)),
      nodes_(topology_.agent_count()) {}

ChipMachine::~ChipMachine() = default;

// The chip runs until main begins there, which is here and now.
base::Result<bool> ChipMachine::start() {
  engine::EngineOptions options{.worker_count = 1, .serial = true, .stacks_max = kTasksMax};
  options.nodes.push_back(this);
  auto engine = engine::Engine::create(*space_, options);
  if (!engine) return engine.error();
  engine_ = std::move(*engine);
  for (const AgentId agent : topology_.workers()) {
    nodes_[agent] = std::make_unique<ChipNode>(*this, agent);
  }
  auto events = Fiber::create(plat::task_stack_bytes(), run_chip, this);
  if (!events) return events.error();
  events_ = std::move(*events);
  home_ = {.worker = &worker(), .stack = events_.get()};
  nodes_[topology_.workers().front()]->begin_main();
  return true;
}

void ChipMachine::run_chip(void* argument) {
  auto& self = *static_cast<ChipMachine*>(argument);
  const bool is_over = self.machine_.run();
  MYR_ASSERT(is_over);  // else some task waits for ever: a mistake of ours
  self.is_over_ = true;
  self.go_on(sched::kMain);
}

void ChipMachine::leave(TaskId task) {
  stacks_.emplace(task, &worker().current_stack());
  worker().leave_for(*events_);
}

void ChipMachine::stop() {
  nodes_[topology_.workers().front()]->end_main();
  machine_.ended(sched::kMain, 0);
  leave(sched::kMain);
  MYR_ASSERT(is_over_);
  engine_->stop();
}

std::vector<AgentUsage> ChipMachine::usage() const {
  std::vector<AgentUsage> usage;
  for (AgentId agent = 0; agent < topology_.agent_count(); ++agent) {
    AgentUsage own = machine_.usage_of(agent);
    const std::uint64_t busy =
        own.task_ticks + own.runtime_ticks + own.memory_ticks + own.wait_ticks;
    own.idle_ticks = machine_.now() - std::min(busy, machine_.now());  // to the very end
    usage.push_back(own);
    if (nodes_[agent] == nullptr) continue;
    usage.back().tasks = nodes_[agent]->tasks_run();
    usage.back().replayed_tasks = nodes_[agent]->tasks_replayed();
  }
  return usage;
}

trace::Clock ChipMachine::clock() const {
  return {.start_ticks = 0, .end_ticks = machine_.now(), .elapsed_ns = machine_.now()};
}

// ---- what the chip calls ----------------------------------------------------------------------

void ChipMachine::begin(AgentId worker, const proto::Work& work) {
  if (work.task == sched::kMain) return go_on(work.task);
  nodes_[worker]->begin(work);
}

// Main, in the end, does not come back here.
void ChipMachine::go_on(TaskId task) {
  plat::Fiber& stack = *stacks_.extract(task).mapped();
  worker().come_back_to(stack);
}

template <class Answer>
void ChipMachine::give(const Answer& answer) {
  auto& context = static_cast<ChipContext&>(*reinterpret_cast<NodeContext*>(answer.request));
  context.answer(answer);
  go_on(context.node().asking());
}

void ChipMachine::answer(const proto::RegionMade& answer) { give(answer); }
void ChipMachine::answer(const proto::Allocated& answer) { give(answer); }

void ChipMachine::misuse(sched::Misuse kind, std::uint64_t program, const proto::Access& access) {
  report(kind, program, access);
}

// ---- what the engine calls ----------------------------------------------------------------------

engine::Outside::Ended ChipMachine::body_ended(engine::Worker&, graph::Task& task,
                                               const void* frame) {
  const TaskId id = spread_task_of(task).id;
  running_->body_ended(task, frame);
  return {this, id};
}

bool ChipMachine::has_spread(const graph::Task& task) const {
  return spread_task_of(const_cast<graph::Task&>(task)).has_spread();
}

void ChipMachine::await_spread(engine::Worker&, graph::Task&, const void*) {
  base::ThreadContext::current()->wait_all();
}

void ChipMachine::tell_ended(engine::Worker&, std::uint64_t ended) { running_->ended(ended); }

}  // namespace myr::cluster::sim
