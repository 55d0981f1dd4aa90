// SPDX-License-Identifier: Apache-2.0
#include "cluster/sim/chip_machine.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "cluster/heap_store.hpp"
#include "cluster/loop_task.hpp"
#include "cluster/misuse.hpp"
#include "mem/heap.hpp"
#include "plat/clock.hpp"
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
      : AgentContext(machine.topology_, self), chip_(machine) {}
  ~ChipContext() = default;

  void run_task(const proto::Work& work) {
    begin_slice();
    UserTask& task = task_of(work.program);
    AgentContext::run(work.iterations.none() ? UserTaskPtr(&task) : make_part(task, work),
                      work.task);
  }
  void run_main(UserTask& main) {
    resume(main);
    begin_slice();
  }
  void take(const proto::RegionMade& made) { answer(made); }
  void take(const proto::Allocated& allocated) { answer(allocated); }

  // The task that waits for an answer.
  [[nodiscard]] TaskId asking() const noexcept { return asking_; }

  [[nodiscard]] bool takes_whole_loops() const override { return true; }
  void work(std::uint64_t cycles) override { chip_.machine_.work(cycles); }
  [[nodiscard]] std::uint64_t cycles() override {
    end_slice();
    return chip_.machine_.now();
  }

 private:
  void send(AgentId to, proto::Body body) override {
    catch_up();
    chip_.machine_.send(to, std::move(body));
  }
  void send_spawn(proto::Spawn spawn) override {
    catch_up();
    if (!chip_.machine_.may_spawn()) {
      chip_.machine_.resume_when_spawned(task().id);
      suspend();
    }
    chip_.machine_.spawn(std::move(spawn));
  }
  [[nodiscard]] std::optional<myr_region> region_of(const void* object) const override {
    const mem::Heap::Whole whole = mem::Heap::object_at(object);
    if (!mem::Heap::contains(object) || whole.bytes == 0) return {};
    return chip_.space_->tree().id_of(whole.owner);
  }
  void await_answer() override {
    asking_ = task().id;
    suspend();
  }
  void await_wait_over() override {
    chip_.machine_.waits(task().id);
    suspend();
  }
  void ended(TaskId task, std::uint32_t accesses) override {
    end_slice();
    chip_.machine_.ended(task, accesses);
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

  // What has come while the task worked is handled first.
  void catch_up() {
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
  TaskId asking_ = 0;
  Cycles began_ = 0;
  std::uint64_t began_ns_ = 0;
};

// ---- the machine ------------------------------------------------------------------------------

base::Result<std::unique_ptr<cluster::Machine>> ChipMachine::create(sched::Topology topology,
                                                                    Chip chip,
                                                                    const Options& options) {
  if (auto heap = mem::Heap::create(); !heap) return heap.error();
  auto space = graph::RegionSpace::create_for_agents();
  if (!space) return space.error();
  const proto::PageRun memory = HeapStore::take_memory(kSharedPages);
  if (memory.count == 0) return base::Error{"no memory: the system refused the first megabyte"};
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
               {.load_percent = options.load_percent,
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
  auto events = Fiber::create(kTaskStackBytes, run_chip, this);
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
    if (contexts_[agent] != nullptr) usage.back().tasks = contexts_[agent]->tasks_run();
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
