// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/thread_machine.hpp"

#include <utility>

#include "cluster/master/master_context.hpp"
#include "engine/worker_calls.hpp"
#include "plat/clock.hpp"
#include "plat/cpu_quota.hpp"

namespace myr::cluster::master {

using graph::Task;

namespace {
constexpr Care kCare{.master_sends = true};
}

// A worker: an engine of one thread, to which tasks come through the ring.
class ThreadMachine::Node final : public engine::Outside {
 public:
  Node(ThreadMachine& machine, unsigned number)
      : machine_(machine),
        number_(number),
        worker_(machine.buffers_, number, kCare, Sent{machine}) {}

  [[nodiscard]] base::Result<bool> start() {
    const Options& options = machine_.options();
    auto made = engine::Engine::create(machine_.space(),
                                       {.worker_count = 1,
                                        .serial = true,
                                        .measure_time = options.measures_time,
                                        .recording = options.recording,
                                        .spin_ns = machine_.has_processors_ ? options.spin_ns : 0,
                                        .nodes = {this},
                                        .recyclers = &machine_.recyclers(),
                                        .first_worker = number_ + 1,
                                        .guests_max = 0,
                                        .has_main = false});
    if (!made) return made.error();
    engine_ = std::move(*made);
    return true;
  }
  [[nodiscard]] engine::Engine& engine() noexcept { return *engine_; }

 private:
  struct Sent {
    ThreadMachine& machine;
    void operator()(CoreNumber) const { machine.core_.note_completed(); }
  };

  // ---- Outside
  [[nodiscard]] unsigned first_track() const override { return number_; }
  void adopt_thread(engine::Worker& worker) override {
    context_ = std::make_unique<MasterContext>(machine_, worker);
    context_->adopt_thread();
  }
  [[nodiscard]] Task* take(engine::Worker& worker) override {
    const auto number = worker_.take([this](std::uint32_t task) -> const std::vector<scc::Extent>& {
      const Spawned& spawned = machine_.spawned(task);
      // What it frees may be somebody else's before it has ended: no copies of that.
      return spawned.writes_region ? nothing_ : spawned.extents;
    });
    if (!number) return nullptr;
    Task* const task = machine_.spawned(*number).task;
    worker.accept(*task);
    return task;
  }
  [[nodiscard]] Ended body_ended(engine::Worker&, Task&, const void*) override {
    worker_.leave();
    return {this, 0};
  }
  [[nodiscard]] bool has_spread(const Task&) const override { return false; }
  void tell_ended(engine::Worker&, std::uint64_t) override { worker_.complete(); }

  ThreadMachine& machine_;
  const unsigned number_;
  const std::vector<scc::Extent> nothing_;
  ThreadWorker<Sent> worker_;
  std::unique_ptr<MasterContext> context_;
  std::unique_ptr<engine::Engine> engine_;
};

base::Result<std::unique_ptr<cluster::Machine>> ThreadMachine::create(unsigned workers,
                                                                      const Options& options) {
  auto space = graph::RegionSpace::create();
  if (!space) return space.error();
  std::unique_ptr<ThreadMachine> machine(new ThreadMachine(workers, options, std::move(*space)));
  if (auto started = machine->start_all(); !started) return started.error();
  return std::unique_ptr<cluster::Machine>(std::move(machine));
}

ThreadMachine::ThreadMachine(unsigned workers, const Options& machine_options,
                             std::unique_ptr<graph::RegionSpace> space)
    : MasterMachine(workers, machine_options, std::move(space)),
      has_processors_(workers < plat::usable_cpu_count()),
      buffers_(workers),
      core_(
          buffers_, kCare,
          [this](unsigned worker) { nodes_[worker]->engine().sleepers().post_to(0); },
          has_processors_ ? options().spin_ns : 0) {}

base::Result<bool> ThreadMachine::start_all() {
  if (auto started = start(core_); !started) return started;
  for (unsigned number = 0; number < worker_count(); ++number) {
    nodes_.push_back(std::make_unique<Node>(*this, number));
    if (auto started = nodes_.back()->start(); !started) return started;
  }
  start_ns_ = plat::now_ns();
  clock_.start_ticks = plat::ticks();
  return true;
}

ThreadMachine::~ThreadMachine() = default;

const char* ThreadMachine::admit() { return engine().admit() ? nullptr : engine::kNoPlace; }

void ThreadMachine::finish_guests(bool for_ever) { engine().finish_guests(for_ever); }

void ThreadMachine::stop() {
  clock_.end_ticks = plat::ticks();
  clock_.elapsed_ns = plat::now_ns() - start_ns_;
  for (const auto& node : nodes_) node->engine().stop();
  MasterMachine::stop();
}

std::vector<AgentUsage> ThreadMachine::usage() const {
  std::vector<AgentUsage> usage(topology().agent_count());
  usage[topology().schedulers().front()] =
      master_usage(clock_.end_ticks - clock_.start_ticks, core_.idle_ticks());
  for (unsigned number = 0; number < worker_count(); ++number) {
    const engine::WorkerStats& stats = nodes_[number]->engine().worker(0).stats();
    AgentUsage& shown = usage[topology().workers()[number]];
    shown.task_ticks = stats.task_ticks;
    shown.runtime_ticks = stats.runtime_ticks;
    shown.idle_ticks = stats.idle_ticks;
    shown.tasks = stats.ran;
  }
  return usage;
}

std::vector<const engine::LineTimes*> ThreadMachine::lines() const {
  std::vector<const engine::LineTimes*> all;
  for (const auto& node : nodes_) {
    for (const engine::LineTimes* lines : node->engine().lines()) all.push_back(lines);
  }
  return all;
}

void ThreadMachine::prepare(Spawned& spawned) { spawned.task->set(graph::kSpread); }

std::uint64_t ThreadMachine::ticks() const { return options().measures_time ? plat::ticks() : 0; }

unsigned ThreadMachine::index_of(engine::Worker& worker) const {
  return worker.engine().options().first_worker;
}

}  // namespace myr::cluster::master
