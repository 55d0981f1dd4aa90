// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/master_machine.hpp"

#include <algorithm>
#include <utility>

#include "cluster/master/master_context.hpp"
#include "deps/blocks.hpp"
#include "engine/access_check.hpp"
#include "engine/worker_calls.hpp"
#include "graph/task_arena.hpp"
#include "mem/heap.hpp"
#include "plat/clock.hpp"

namespace myr::cluster::master {

using deps::BlockUse;
using graph::Target;
using graph::TargetKind;
using graph::Task;

namespace {

constexpr std::uint64_t kRegionBit = std::uint64_t{1} << 63;  // of the names of blocks

std::vector<CoreNumber> worker_cores(const Options& options, unsigned workers) {
  std::vector<CoreNumber> cores = scc::cores_around(options.master_core);
  cores.resize(workers);
  return cores;
}

scc::Placement placement_of(const Options& options) {
  return options.is_striped ? scc::Placement::Striped : scc::Placement::None;
}

}  // namespace

base::Result<std::unique_ptr<cluster::Machine>> MasterMachine::create(unsigned workers,
                                                                      const Options& options) {
  auto space = graph::RegionSpace::create();
  if (!space) return space.error();
  std::unique_ptr<MasterMachine> machine(new MasterMachine(workers, options, std::move(*space)));
  if (auto started = machine->start(); !started) return started.error();
  return std::unique_ptr<cluster::Machine>(std::move(machine));
}

MasterMachine::MasterMachine(unsigned workers, const Options& options,
                             std::unique_ptr<graph::RegionSpace> space)
    : topology_(sched::Topology::of_counts(1, std::max(workers, 1U))),
      options_(options),
      space_(std::move(space)),
      own_memory_(placement_of(options)),
      cores_(worker_cores(options, workers), placement_of(options), Care{}, *this),
      master_(options.master_core, cores_, Care{}),
      spawned_(kDescriptors) {}

MasterMachine::~MasterMachine() = default;

base::Result<bool> MasterMachine::start() {
  auto engine = engine::Engine::create(*space_, {.worker_count = 1, .serial = true});
  if (!engine) return engine.error();
  engine_ = std::move(*engine);
  context_ = std::make_unique<MasterContext>(*this, engine_->worker(0));
  return true;
}

void MasterMachine::stop() {
  MasterContext::leave_thread();
  engine_->stop();
}

std::vector<AgentUsage> MasterMachine::usage() const {
  std::vector<AgentUsage> usage(topology_.agent_count());
  AgentUsage& master = usage[topology_.schedulers().front()];
  master.task_ticks = main_work_;
  master.idle_ticks = master_.usage().idle;
  master.runtime_ticks = master_.now() - main_work_ - master.idle_ticks;
  master.conflicts = conflicts_;
  master.false_conflicts = false_conflicts_;
  for (unsigned worker = 0; worker < worker_count(); ++worker) {
    const CoreUsage& own = cores_.usage(worker);
    AgentUsage& shown = usage[topology_.workers()[worker]];
    shown.task_ticks = own.task;
    shown.runtime_ticks = own.flush;
    shown.idle_ticks = master_.now() - std::min(master_.now(), own.task + own.flush);
    shown.tasks = own.tasks;
  }
  return usage;
}

trace::Clock MasterMachine::clock() const {
  return {.start_ticks = 0, .end_ticks = master_.now(), .elapsed_ns = master_.now()};
}

// ---- main's tasks -------------------------------------------------------------------------------

// Whoever uses something in the region.
void MasterMachine::add_within(deps::RegionIndex region, BlockUse use, Blocks& blocks) const {
  for (;; region = space_->tree().parent(region)) {
    blocks.push_back({kRegionBit | region, use});
    if (region == deps::kRootRegion) return;
  }
}

void MasterMachine::add_blocks(const Target& target, Blocks& blocks) const {
  if (target.kind == TargetKind::None) return;
  const BlockUse use = target.writes ? BlockUse::Write : BlockUse::Read;
  const BlockUse within = target.writes ? BlockUse::WriteWithin : BlockUse::ReadWithin;
  if (target.kind == TargetKind::Region) {
    blocks.push_back({kRegionBit | target.region, use});
    if (target.region == deps::kRootRegion) return;
    return add_within(space_->tree().parent(target.region), within, blocks);
  }
  deps::BlockedArray array{.begin = 0, .end = kRegionBit, .block_bytes = options_.block_bytes};
  if (target.kind == TargetKind::Object) array.begin = target.begin;
  if (target.kind == TargetKind::Range) array.begin = target.object;  // 0 for other memory
  if (target.region != deps::kNoRegion) add_within(target.region, within, blocks);
  deps::visit_blocks(array, {.address = target.begin, .bytes = target.end - target.begin},
                     [&](std::uint64_t block) { blocks.push_back({block, use}); });
}

void MasterMachine::declare(myr_access& access, const Task& task, Spawned& spawned,
                            Blocks& blocks) {
  Target target;
  static_cast<void>(
      engine::check_access(*space_, *engine_->worker(0).task(), access, target, task));
  add_blocks(target, blocks);
  if (target.kind != TargetKind::Object && target.kind != TargetKind::Range) return;
  if ((access.flags & MYR_NOTRANSFER) != 0) return;  // the task does not touch it
  spawned.extents.push_back({.begin = target.begin,
                             .end = target.end,
                             .writes = target.writes,
                             .reads = (access.flags & MYR_IN) != 0});
}

void MasterMachine::spawn(Task& task) {
  engine_->worker(0).adopt_child(&task);
  Spawned spawned{.task = &task, .extents = {}};
  Blocks blocks;
  myr_access* const accesses = task.accesses();
  for (std::uint32_t i = 0; i < task.access_count; ++i) {
    declare(accesses[i], task, spawned, blocks);
  }
  if (worker_count() == 0) return run_serially(spawned);
  const std::uint32_t number = master_.take_descriptor();
  MYR_ASSERT(number != Master::kNoTask);  // else workers have stopped: a mistake of ours
  spawned_[number] = std::move(spawned);
  master_.spawn(number, task.access_count, blocks);
  if (options_.measures_time) count_conflicts(number);
}

// Where the task waits for others: is it for bytes that both use?
void MasterMachine::count_conflicts(std::uint32_t number) {
  const auto shares_bytes = [&](const Spawned& other, std::uint64_t block) {
    const std::vector<scc::Extent>& own = spawned_[number].extents;
    return std::any_of(own.begin(), own.end(), [&](const scc::Extent& a) {
      return std::any_of(other.extents.begin(), other.extents.end(), [&](const scc::Extent& b) {
        return (a.writes || b.writes) && std::max({a.begin, b.begin, block}) <
                                             std::min({a.end, b.end, block + options_.block_bytes});
      });
    });
  };
  master_.for_conflicts(number, [&](std::uint64_t block, std::uint32_t other) {
    conflicts_ += 1;
    if ((block & kRegionBit) == 0 && !shares_bytes(spawned_[other], block)) false_conflicts_ += 1;
  });
}

// The serial program's memory is the core's own.
void MasterMachine::run_serially(Spawned& spawned) {
  Run run;
  const Cycles start = master_.now();
  call(spawned, 0, start, own_memory_, run);
  Cycles end = start;
  for (const scc::Burst& burst : run.bursts) {
    end = cores_.controllers().fetch(options_.master_core,
                                     scc::own_controller(options_.master_core), burst.lines, end) +
          burst.stalls;
  }
  work(end - start + run.work);
}

void MasterMachine::wait(const Blocks& blocks) {
  const bool is_over = master_.wait(blocks);
  MYR_ASSERT(is_over);  // else workers have stopped: a mistake of ours
}

void MasterMachine::wait_all() {
  const bool is_over = master_.wait_all();
  MYR_ASSERT(is_over);
}

Task* MasterMachine::find_user(std::uint64_t begin, std::uint64_t end) const {
  for (const Spawned& spawned : spawned_) {
    if (spawned.task == nullptr) continue;
    for (const scc::Extent& extent : spawned.extents) {
      if (extent.begin < end && begin < extent.end) return spawned.task;
    }
  }
  return nullptr;
}

// ---- time ---------------------------------------------------------------------------------------

void MasterMachine::work(Cycles cycles) {
  if (running_ != nullptr) {
    running_->work += cycles;
    return;
  }
  main_work_ += cycles;
  master_.work(cycles);
}

void MasterMachine::touch(const scc::Extent& extent) {
  if (running_ != nullptr) touched_.push_back(extent);
}

// What it has computed is known, what it waited for memory only in the end.
Cycles MasterMachine::now() const {
  return running_ != nullptr ? running_since_ + running_->work : master_.now();
}

// ---- Bodies -------------------------------------------------------------------------------------

trace::Timeline* MasterMachine::timeline(unsigned worker) const {
  if (options_.recording == nullptr) return nullptr;
  return options_.recording->timeline(worker);
}

void MasterMachine::run(std::uint32_t task, unsigned worker, Cycles time, scc::CoreMemory& memory,
                        Run& run) {
  Spawned& spawned = spawned_[task];
  if (trace::Timeline* const track = timeline(worker)) {
    track->begin_task(time, trace::TaskId(0, spawned.task->order), spawned.task->site);
  }
  call(spawned, worker + 1, time, memory, run);
}

void MasterMachine::body_ended(unsigned worker, Cycles time) {
  if (trace::Timeline* const track = timeline(worker)) track->end_task(time);
}

// The task goes through what it says, or else once through all that it has declared.
void MasterMachine::call(Spawned& spawned, unsigned worker, Cycles time, scc::CoreMemory& memory,
                         Run& run) {
  running_ = &run;
  touched_.clear();
  running_since_ = time;
  running_worker_ = worker;
  const bool is_alone = worker_count() == 0;
  if (!is_alone) memory.begin(spawned.extents);
  const std::uint64_t start_ns = options_.cycles_per_ns != 0 ? plat::now_ns() : 0;
  engine_->worker(0).run_here(std::exchange(spawned.task, nullptr));
  if (options_.cycles_per_ns != 0) {
    const auto spent = static_cast<double>(plat::now_ns() - start_ns);
    run.work += static_cast<Cycles>(spent * options_.cycles_per_ns);
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
