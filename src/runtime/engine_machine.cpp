// SPDX-License-Identifier: Apache-2.0
//
// `serial` and `smp`: an engine.
#include <dlfcn.h>

#include <utility>

#include "engine/engine.hpp"
#include "graph/region_space.hpp"
#include "graph/task_arena.hpp"
#include "mem/heap.hpp"
#include "plat/clock.hpp"
#include "runtime/machine.hpp"
#include "runtime/settings.hpp"

namespace myr::runtime {

namespace {

using engine::Engine;
using engine::WorkerStats;

// What the library of `myr check` asks.
class CheckedMemory final : public engine::Checker::Memory {
 public:
  explicit CheckedMemory(const graph::RegionSpace& space) noexcept : space_(space) {}

  bool is_in(const void* address, myr_region region) const override {
    if (!mem::Heap::contains(address)) return false;
    const deps::RegionIndex inner = mem::Heap::owner_of(address);
    return inner != mem::Heap::kNoOwner && is_around(space_.tree().find(region), inner);
  }
  bool encloses(myr_region outer, myr_region inner) const override {
    return is_around(space_.tree().find(outer), space_.tree().find(inner));
  }
  bool is_left(const void* address) const override {
    return mem::Heap::contains(address) && mem::Heap::owner_of(address) == mem::Heap::kNoOwner;
  }
  bool is_of_tasks(const void* address) const override {
    return graph::TaskArena::contains(address);
  }

 private:
  // For regions that have not been freed.
  [[nodiscard]] bool is_around(deps::RegionIndex outer, deps::RegionIndex inner) const {
    if (outer == deps::kNoRegion || inner == deps::kNoRegion) return false;
    return space_.tree().encloses(outer, inner);
  }

  const graph::RegionSpace& space_;
};

engine::Checker* find_checker() {
  auto* const find = reinterpret_cast<decltype(&myr_checker)>(dlsym(RTLD_DEFAULT, "myr_checker"));
  return find == nullptr ? nullptr : find();
}

class EngineMachine final : public Machine {
 public:
  EngineMachine(std::unique_ptr<graph::RegionSpace> space, std::unique_ptr<CheckedMemory> checked,
                std::unique_ptr<Engine> engine, const trace::Clock& clock, std::uint64_t start_ns)
      : space_(std::move(space)),
        checked_(std::move(checked)),
        engine_(std::move(engine)),
        clock_(clock),
        start_ns_(start_ns) {}

  const char* admit() override { return engine_->admit() ? nullptr : engine::kNoPlace; }
  void finish_guests(bool for_ever) override { engine_->finish_guests(for_ever); }
  void stop() override {
    clock_.end_ticks = plat::ticks();
    clock_.elapsed_ns = plat::now_ns() - start_ns_;
    engine_->stop();
  }

  [[nodiscard]] trace::Clock clock() const override { return clock_; }

  [[nodiscard]] bool count(myr_statistics& sum) const override {
    for (unsigned i = 0; i < engine_->worker_count(); ++i) {
      const WorkerStats& stats = engine_->worker(i).stats();
      sum.spawned += stats.spawned;
      sum.ran += stats.ran;
      sum.linked += stats.linked;
      sum.replayed += stats.replayed;
      sum.steals += stats.steals;
      sum.stolen += stats.stolen;
      sum.sleeps += stats.parks;
    }
    return true;
  }

  [[nodiscard]] Report report() const override {
    std::vector<WorkerStats> stats;
    for (unsigned i = 0; i < engine_->worker_count(); ++i) {
      stats.push_back(engine_->worker(i).stats());
    }
    Report::Group workers = Report::group<WorkerStats, sync::Tally>(
        "worker", std::vector<unsigned>(stats.size(), 0), stats,
        {{"in tasks", "task", &WorkerStats::task_ticks, Report::kTime},
         {"in the runtime", "runtime", &WorkerStats::runtime_ticks, Report::kTime},
         {"idle", "idle", &WorkerStats::idle_ticks, Report::kTime},
         {"tasks spawned", "spawned", &WorkerStats::spawned},
         {"tasks run", "tasks", &WorkerStats::ran},
         {"dependences linked", "linked", &WorkerStats::linked},
         {"tasks replayed", "replayed", &WorkerStats::replayed},
         {"steals", "steals", &WorkerStats::steals},
         {"tasks stolen", "stolen", &WorkerStats::stolen},
         {"times asleep", "parks", &WorkerStats::parks}});
    return {.unit = Report::Unit::Ns, .clock = clock_, .groups = {std::move(workers)}};
  }

  [[nodiscard]] std::vector<const engine::LineTimes*> lines() const override {
    return engine_->lines();
  }

 private:
  std::unique_ptr<graph::RegionSpace> space_;
  std::unique_ptr<CheckedMemory> checked_;
  std::unique_ptr<Engine> engine_;
  trace::Clock clock_;
  std::uint64_t start_ns_;
};

}  // namespace

base::Result<std::unique_ptr<Machine>> start_engine(const Settings& settings,
                                                    trace::Recording* recording) {
  base::Result<std::unique_ptr<graph::RegionSpace>> space = graph::RegionSpace::create();
  if (!space) return space.error();
  const std::uint64_t start_ns = plat::now_ns();
  const trace::Clock clock{.start_ticks = plat::ticks(), .end_ticks = 0, .elapsed_ns = 0};
  auto checked = std::make_unique<CheckedMemory>(**space);
  engine::Checker* const checker = settings.machine.is_serial ? find_checker() : nullptr;
  if (checker != nullptr) checker->start(*checked);
  auto engine = Engine::create(**space, {.worker_count = settings.machine.worker_count,
                                         .serial = settings.machine.is_serial,
                                         .measure_time = settings.stats != Settings::Stats::None,
                                         .recording = recording,
                                         .checker = checker,
                                         .chaos = settings.chaos,
                                         .spin_ns = settings.spin_ns,
                                         .pins = settings.pins,
                                         .has_main = settings.has_main});
  if (!engine) return engine.error();
  return std::unique_ptr<Machine>(new EngineMachine(std::move(*space), std::move(checked),
                                                    std::move(*engine), clock, start_ns));
}

}  // namespace myr::runtime
