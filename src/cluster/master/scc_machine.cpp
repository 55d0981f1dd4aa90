// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/scc_machine.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "cluster/memory_map.hpp"
#include "engine/worker_calls.hpp"
#include "plat/clock.hpp"

namespace myr::cluster::master {

namespace {

std::vector<CoreNumber> worker_cores(const Options& options, unsigned workers) {
  std::vector<CoreNumber> cores = scc::cores_around(options.master_core);
  cores.resize(workers);
  return cores;
}

// The serial program's memory is the core's own, so nobody asks.
scc::MemoryMap own_map() { return scc::MemoryMap(scc::Placement::None); }

}  // namespace

base::Result<std::unique_ptr<cluster::Machine>> SccMachine::create(unsigned workers,
                                                                   const Options& options) {
  auto space = graph::RegionSpace::create();
  if (!space) return space.error();
  std::unique_ptr<SccMachine> machine(new SccMachine(workers, options, std::move(*space)));
  if (auto started = machine->start(machine->core_); !started) return started.error();
  std::vector<std::uint8_t> places;
  for (const CoreNumber core : worker_cores(options, workers)) {
    places.push_back(static_cast<std::uint8_t>(scc::own_controller(core)));
  }
  machine->set_places(std::move(places));
  return std::unique_ptr<cluster::Machine>(std::move(machine));
}

SccMachine::SccMachine(unsigned workers, const Options& options,
                       std::unique_ptr<graph::RegionSpace> space)
    : MasterMachine(workers, options, std::move(space)),
      map_(memory_map(options.placement)),
      own_memory_(own_map()),
      cores_(worker_cores(options, workers), map_, Care{}, *this),
      core_(options.master_core, cores_, Care{}) {}

std::vector<AgentUsage> SccMachine::usage() const {
  std::vector<AgentUsage> usage(topology().agent_count());
  usage[topology().schedulers().front()] = master_usage(core_.now(), core_.idle());
  for (unsigned worker = 0; worker < worker_count(); ++worker) {
    const CoreUsage& own = cores_.usage(worker);
    AgentUsage& shown = usage[topology().workers()[worker]];
    shown.task_ticks = own.task;
    shown.runtime_ticks = own.flush;
    shown.idle_ticks = core_.now() - std::min(core_.now(), own.task + own.flush);
    shown.tasks = own.tasks;
  }
  return usage;
}

trace::Clock SccMachine::clock() const {
  return {.start_ticks = 0, .end_ticks = core_.now(), .elapsed_ns = core_.now()};
}

// The controller that has most of its bytes.
std::uint8_t SccMachine::place_of(const Spawned& spawned) {
  if (!options().gives_near) return Master::kAnyPlace;
  std::array<std::uint64_t, scc::kControllers> bytes{};
  for (const scc::Extent& extent : spawned.extents) {
    bytes[map_.controller_of(extent.begin)] += extent.end - extent.begin;
  }
  return static_cast<std::uint8_t>(std::max_element(bytes.begin(), bytes.end()) - bytes.begin());
}

// ---- time ---------------------------------------------------------------------------------------

void SccMachine::work(Cycles cycles) {
  if (running_ != nullptr) {
    running_->work += cycles;
  } else {
    core_.spend(cycles);
  }
}

void SccMachine::touch(const scc::Extent& extent) {
  if (running_ != nullptr) touched_.push_back(extent);
}

// The time that it has computed is known; how long it waited for memory, only in the end.
Cycles SccMachine::now() const {
  return running_ != nullptr ? running_since_ + running_->work : core_.now();
}

// The serial program's memory is the core's own.
void SccMachine::run_serially(Spawned& spawned) {
  Run run;
  const CoreNumber self = core_.number();
  const Cycles start = core_.now();
  call(spawned, 0, start, own_memory_, run);
  Cycles end = start;
  for (const scc::Burst& burst : run.bursts) {
    end = cores_.controllers().fetch(self, scc::own_controller(self), burst.lines, end) +
          burst.stalls;
  }
  core_.spend(end - start + run.work);
}

// ---- Bodies -------------------------------------------------------------------------------------

trace::Timeline* SccMachine::timeline(unsigned worker) const {
  if (options().recording == nullptr) return nullptr;
  return options().recording->timeline(worker);
}

void SccMachine::run(std::uint32_t task, unsigned worker, Cycles time, scc::CoreMemory& memory,
                     Run& run) {
  const Spawned& to_run = spawned(task);
  if (trace::Timeline* const track = timeline(worker)) {
    track->begin_task(time, trace::TaskId(0, to_run.task->order), to_run.site);
  }
  call(to_run, worker + 1, time, memory, run);
}

void SccMachine::body_ended(unsigned worker, Cycles time) {
  if (trace::Timeline* const track = timeline(worker)) track->end_task(time);
}

// The task goes through what it says, or else once through all that it has declared.
void SccMachine::call(const Spawned& spawned, unsigned worker, Cycles time, scc::CoreMemory& memory,
                      Run& run) {
  running_ = &run;
  touched_.clear();
  running_since_ = time;
  running_worker_ = worker;
  const bool is_alone = worker_count() == 0;
  if (!is_alone) memory.begin(spawned.extents);
  const std::uint64_t start_ns = options().cycles_per_ns != 0 ? plat::now_ns() : 0;
  engine().worker(0).run_here(spawned.task);
  if (options().cycles_per_ns != 0) {
    const auto spent = static_cast<double>(plat::now_ns() - start_ns);
    run.work += static_cast<Cycles>(spent * options().cycles_per_ns);
  }
  for (const scc::Extent& extent : touched_.empty() ? spawned.extents : touched_) {
    const std::uint64_t bytes = extent.end - extent.begin;
    if (extent.reads) memory.traffic(extent.begin, bytes, false, run.bursts);
    if (extent.writes) memory.traffic(extent.begin, bytes, true, run.bursts);
  }
  if (!is_alone) memory.end();
  running_ = nullptr;
  running_worker_ = 0;
}

}  // namespace myr::cluster::master
