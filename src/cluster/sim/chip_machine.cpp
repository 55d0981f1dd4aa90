// SPDX-License-Identifier: Apache-2.0
#include "cluster/sim/chip_machine.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "cluster/heap_store.hpp"
#include "cluster/loop_task.hpp"
#include "cluster/memory_map.hpp"
#include "cluster/misuse.hpp"
#include "cluster/sim/core_map.hpp"
#include "cluster/sim/task_memory.hpp"
#include "mem/heap.hpp"
#include "plat/clock.hpp"
#include "plat/task_stack.hpp"
#include "sched/scheduler.hpp"

namespace myr::cluster::sim {

using plat::Fiber;

namespace {

Memory heap_memory(proto::PageRun pages, graph::RegionSpace& space) {
  return {.make_store =
              [&space](std::uint32_t index) { return std::make_unique<HeapStore>(index, space); },
          .pages = pages};
}

}  // namespace

// ---- a worker of the chip ---------------------------------------------------------------------

class ChipContext final : public AgentContext {
 public:
  ChipContext(ChipMachine& machine, AgentId self)
      : AgentContext(machine.topology_, self), chip_(machine) {
    if (!machine.chip_.shares_memory()) return;
    const auto cores = map_to_cores(machine.topology_, machine.chip_);
    memory_.emplace(machine.chip_.number_of(cores.value()[self]),
                    memory_map(machine.options_.placement));
  }
  ~ChipContext() = default;

  void run_task(const proto::Work& work) {
    begin_slice();
    UserTask& whole = task_of(work.program);
    UserTaskPtr task = work.iterations.none() ? UserTaskPtr(&whole) : make_part(whole, work);
    if (memory_) {
      chip_.machine_.spend(scc::kCosts.second_invalidate);
      memory_->begin(*task);
    }
    task->is_replayed = work.place.is_replayed;
    AgentContext::run(std::move(task), work.task);
  }
  void run_main(UserTask& main) {
    resume(main);
    begin_slice();
  }
  void take(const proto::RegionMade& made) { answer(made); }
  void take(const proto::Allocated& allocated) { answer(allocated); }

  // The task that waits for an answer.
  [[nodiscard]] TaskId asking() const noexcept { return asking_; }

  void work(std::uint64_t cycles) override {
    if (has_memory()) return memory_->work(task(), cycles);
    chip_.machine_.work(cycles);
  }
  void touch(const void* first, std::size_t bytes, std::size_t rows, std::size_t stride,
             unsigned mode) override;
  [[nodiscard]] std::uint64_t cycles() override {
    settle();
    end_slice();
    return chip_.machine_.now();
  }

 private:
  void send(AgentId to, proto::Body body) override {
    catch_up();
    chip_.machine_.send(to, std::move(body));
  }
  void send_spawn(proto::Spawn spawn) override {
    if (has_memory()) memory_->share(task());
    catch_up();
    if (!chip_.machine_.may_spawn()) {
      chip_.machine_.resume_when_spawned(task().id);
      suspend();
    }
    chip_.machine_.spawn(std::move(spawn));
  }
  [[nodiscard]] const deps::RegionTree& region_tree() const override {
    return chip_.space_->tree();
  }
  void await_answer() override {
    asking_ = task().id;
    suspend();
  }
  void await_wait_over() override {
    if (has_memory()) memory_->share(task());
    chip_.machine_.waits(task().id);
    suspend();
  }
  void ended(const UserTask& task) override {
    end_slice();
    if (task.is_replayed) {
      chip_.machine_.ended_replayed(task.id, task.has_spawned);
    } else {
      chip_.machine_.ended(task.id, task.access_count());
    }
  }
  // What a task touches in shared memory belongs to it alone.
  [[nodiscard]] bool replays_steps() const override { return !chip_.chip_.shares_memory(); }
  void compared(const proto::Task& spawn) override {
    const transport::sim::Costs& costs = chip_.chip_.costs();
    const std::size_t objects = spawn.loop == nullptr ? 0 : spawn.loop->objects.size();
    chip_.machine_.spend(costs.compare_task + spawn.accesses.size() * costs.compare_access +
                         objects * costs.compare_object);
  }
  [[nodiscard]] plat::StackBounds stack() const override {
    return chip_.strands_.stack_of(task().id);
  }

  void task_begins(const UserTask& task) override {
    if (timeline() == nullptr || task.is_main()) return;
    timeline()->begin_task(chip_.machine_.now(), task.name, task.site);
  }
  void task_stops() override {
    if (timeline() != nullptr && !task().is_main()) timeline()->end_task(chip_.machine_.now());
  }
  [[nodiscard]] trace::Timeline* timeline() const {
    trace::Recording* recording = chip_.options_.recording;
    return recording == nullptr ? nullptr : recording->timeline(self());
  }

  // Does the running task go through caches? Main's own accesses do not count.
  [[nodiscard]] bool has_memory() const noexcept { return memory_.has_value() && !runs_main(); }
  void body_returned() override;
  // What the task has computed by now takes its time now, not between bursts.
  void settle() {
    if (has_memory()) chip_.machine_.work(memory_->take_work(task()));
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
    chip_.machine_.resume_later(task().id);
    suspend();
  }
  void suspend() {
    UserTask& task = leave();
    chip_.strands_.leave(task.id);
    resume(task);
    begin_slice();
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

  ChipMachine& chip_;
  std::optional<TaskMemory> memory_;  // of a chip that shares it
  TaskId asking_ = 0;
  Cycles began_ = 0;
  std::uint64_t began_ns_ = 0;
};

// ---- memory that cores share --------------------------------------------------------------------

void ChipContext::touch(const void* first, std::size_t bytes, std::size_t rows, std::size_t stride,
                        unsigned mode) {
  if (!has_memory()) return;
  const auto begin = reinterpret_cast<std::uint64_t>(first);
  for (std::size_t row = 0; row < rows && bytes != 0; ++row) {
    memory_->touch(task(), {.begin = begin + row * stride,
                            .end = begin + row * stride + bytes,
                            .writes = (mode & MYR_OUT) != 0,
                            .reads = (mode & MYR_IN) != 0});
  }
}

// The body has run at once; what it did takes its time now, burst by burst, beside other cores.
void ChipContext::body_returned() {
  if (!has_memory()) return;
  walk(memory_->end(task()), false);
  walk(memory_->flush(), true);
}

void ChipContext::walk(scc::BurstWalk walk, bool is_flush) {
  while (!walk.is_over()) {
    const Cycles now = chip_.machine_.now();
    pass(walk.step(memory_->core(), chip_.controllers_, now) - now, is_flush);
    chip_.machine_.resume_later(task().id);
    suspend();
  }
  pass(walk.work_left(), is_flush);
}

// ---- the machine ------------------------------------------------------------------------------

base::Result<std::unique_ptr<cluster::Machine>> ChipMachine::create(sched::Topology topology,
                                                                    Chip chip,
                                                                    const Options& options) {
  if (auto heap = mem::Heap::create(); !heap) return heap.error();
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
      main_(UserTask::make(nullptr, 0, 0)),
      contexts_(topology_.agent_count()),
      home_(Fiber::of_this_thread()),
      strands_(
          [this](AgentId worker, const proto::Work& work) { contexts_[worker]->run_task(work); }) {
  for (const AgentId agent : topology_.workers()) {
    contexts_[agent] = std::make_unique<ChipContext>(*this, agent);
  }
}

ChipMachine::~ChipMachine() = default;

// The chip runs until main begins there, which is here and now.
base::Result<bool> ChipMachine::start() {
  auto events = Fiber::create(plat::task_stack_bytes(), run_chip, this);
  if (!events) return events.error();
  events_ = std::move(*events);
  strands_.set_home(*events_);
  strands_.adopt(sched::kMain, *home_);
  main_->id = sched::kMain;
  strands_.leave(sched::kMain);
  contexts_[topology_.workers().front()]->run_main(*main_);
  return true;
}

void ChipMachine::run_chip(void* argument) {
  auto& self = *static_cast<ChipMachine*>(argument);
  const bool is_over = self.machine_.run();
  MYR_ASSERT(is_over);  // else some task waits for ever: a mistake of ours
  self.is_over_ = true;
  self.strands_.go_on(sched::kMain);
}

void ChipMachine::stop() {
  contexts_[topology_.workers().front()]->end_main();
  machine_.ended(sched::kMain, 0);
  strands_.leave(sched::kMain);
  plat::unwatch_stack();
  MYR_ASSERT(is_over_);
}

std::vector<AgentUsage> ChipMachine::usage() const {
  std::vector<AgentUsage> usage;
  for (AgentId agent = 0; agent < topology_.agent_count(); ++agent) {
    AgentUsage own = machine_.usage_of(agent);
    const std::uint64_t busy =
        own.task_ticks + own.runtime_ticks + own.memory_ticks + own.wait_ticks;
    own.idle_ticks = machine_.now() - std::min(busy, machine_.now());  // to the very end
    usage.push_back(own);
    if (contexts_[agent] == nullptr) continue;
    usage.back().tasks = contexts_[agent]->tasks_run();
    usage.back().replayed_tasks = contexts_[agent]->tasks_replayed();
  }
  return usage;
}

trace::Clock ChipMachine::clock() const {
  return {.start_ticks = 0, .end_ticks = machine_.now(), .elapsed_ns = machine_.now()};
}

// ---- what the chip calls ----------------------------------------------------------------------

void ChipMachine::begin(AgentId worker, const proto::Work& work) {
  if (work.task == sched::kMain) {
    strands_.go_on(work.task);
  } else {
    strands_.begin(worker, work, task_of(work.program).site);
  }
}

void ChipMachine::go_on(TaskId task) { strands_.go_on(task); }

void ChipMachine::answer(const proto::RegionMade& answer) {
  ChipContext& context = *contexts_[static_cast<AgentId>(answer.request)];
  context.take(answer);
  strands_.go_on(context.asking());
}

void ChipMachine::answer(const proto::Allocated& answer) {
  ChipContext& context = *contexts_[static_cast<AgentId>(answer.request)];
  context.take(answer);
  strands_.go_on(context.asking());
}

void ChipMachine::misuse(sched::Misuse kind, std::uint64_t program, const proto::Access& access) {
  report(kind, program, access, [](std::uint64_t task) { return task_of(task).site; });
}

}  // namespace myr::cluster::sim
