// SPDX-License-Identifier: Apache-2.0
//
// MasterMachine: runs the user's program as paper 3 does, on the simulated SCC. Main runs on the
// master's core; what it spawns, workers run. What a task spawns runs at once, inside of it. All is
// on the thread that created the machine, and tasks are called where the chip's time comes to them,
// which is while main spawns or waits.
//
// Each task's own part of the runtime - memory, footprints, failures, what it spawns - is a serial
// engine's.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cluster/machine.hpp"
#include "cluster/master/master.hpp"
#include "engine/engine.hpp"
#include "graph/region_space.hpp"

namespace myr::cluster::master {

class MasterContext;

class MasterMachine final : public cluster::Machine, private Bodies {
 public:
  static constexpr unsigned kWorkersMax = scc::kCores - 1;

  // 0 workers: main runs each task where it spawns it, as the serial program would, with all memory
  // at the master's own controller. REQUIRES: at most kWorkersMax. Errors: the system refuses
  // memory.
  [[nodiscard]] static base::Result<std::unique_ptr<cluster::Machine>> create(
      unsigned workers, const Options& options);
  ~MasterMachine() override;

  void stop() override;
  [[nodiscard]] std::vector<AgentUsage> usage() const override;
  // A cycle counts as a nanosecond.
  [[nodiscard]] trace::Clock clock() const override;
  // The master is the scheduler.
  [[nodiscard]] const sched::Topology& topology() const noexcept override { return topology_; }

 private:
  friend MasterContext;
  using Blocks = std::vector<deps::BlockAccess>;
  // A task of main, from its spawn to its end.
  struct Spawned {
    graph::Task* task = nullptr;  // until it has run
    std::vector<scc::Extent> extents;
  };

  MasterMachine(unsigned workers, const Options& options,
                std::unique_ptr<graph::RegionSpace> space);
  [[nodiscard]] base::Result<bool> start();
  [[nodiscard]] unsigned worker_count() const noexcept { return cores_.count(); }

  // ---- for main's calls
  // Checks an access of `task`, which main spawns, and says what it uses.
  void declare(myr_access& access, const graph::Task& task, Spawned& spawned, Blocks& blocks);
  void add_blocks(const graph::Target& target, Blocks& blocks) const;
  void add_within(deps::RegionIndex region, deps::BlockUse use, Blocks& blocks) const;
  void spawn(graph::Task& task);
  void run_serially(Spawned& spawned);
  void count_conflicts(std::uint32_t number);
  void wait(const Blocks& blocks);
  void wait_all();
  // The task of main that has not run and uses some of these bytes; nullptr: none does.
  [[nodiscard]] graph::Task* find_user(std::uint64_t begin, std::uint64_t end) const;

  // ---- for all calls
  void work(Cycles cycles);
  void touch(const scc::Extent& extent);
  [[nodiscard]] Cycles now() const;

  // ---- Bodies
  void run(std::uint32_t task, unsigned worker, Cycles time, scc::CoreMemory& memory,
           Run& run) override;
  void body_ended(unsigned worker, Cycles time) override;
  void call(Spawned& spawned, unsigned worker, Cycles time, scc::CoreMemory& memory, Run& run);
  [[nodiscard]] trace::Timeline* timeline(unsigned worker) const;

  const sched::Topology topology_;
  const Options options_;
  const std::unique_ptr<graph::RegionSpace> space_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<MasterContext> context_;
  scc::CoreMemory own_memory_;  // of the master's core
  WorkerCores cores_;
  Master master_;
  std::vector<Spawned> spawned_;  // by number
  // The task that runs now: what it asks for, and since when; nullptr: main does.
  Run* running_ = nullptr;
  std::vector<scc::Extent> touched_;  // by it, as it says
  Cycles running_since_ = 0;
  unsigned running_worker_ = 0;
  Cycles main_work_ = 0;
  std::uint64_t conflicts_ = 0;
  std::uint64_t false_conflicts_ = 0;
};

}  // namespace myr::cluster::master
