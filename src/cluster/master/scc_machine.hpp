// SPDX-License-Identifier: Apache-2.0
//
// SccMachine: a master and its workers on the simulated SCC. All is on the thread that created the
// machine, and tasks are called where the chip's time comes to them, which is while main spawns or
// waits.
#pragma once

#include <memory>
#include <vector>

#include "cluster/master/chip_core.hpp"
#include "cluster/master/master_machine.hpp"

namespace myr::cluster::master {

class SccMachine final : public MasterMachine, private Bodies {
 public:
  static constexpr unsigned kWorkersMax = scc::kCores - 1;

  // 0 workers: main runs each task where it spawns it, as the serial program would, with all memory
  // at the master's own controller. REQUIRES: at most kWorkersMax. Errors: the system refuses
  // memory.
  [[nodiscard]] static base::Result<std::unique_ptr<cluster::Machine>> create(
      unsigned workers, const Options& options);

  [[nodiscard]] const char* admit() override { return kNoVirtualTime; }
  [[nodiscard]] std::vector<AgentUsage> usage() const override;
  // A cycle counts as a nanosecond.
  [[nodiscard]] trace::Clock clock() const override;

 private:
  SccMachine(unsigned workers, const Options& options, std::unique_ptr<graph::RegionSpace> space);

  // ---- MasterMachine
  void run_serially(Spawned& spawned) override;
  [[nodiscard]] std::uint8_t place_of(const Spawned& spawned) override;
  void work(Cycles cycles) override;
  void touch(const scc::Extent& extent) override;
  [[nodiscard]] Cycles now() const override;
  [[nodiscard]] std::uint64_t ticks() const override { return core_.now(); }
  [[nodiscard]] unsigned index_of(engine::Worker&) const override { return running_worker_; }

  // ---- Bodies
  void run(std::uint32_t task, unsigned worker, Cycles time, scc::CoreMemory& memory,
           Run& run) override;
  void body_ended(unsigned worker, Cycles time) override;
  void call(const Spawned& spawned, unsigned worker, Cycles time, scc::CoreMemory& memory,
            Run& run);
  [[nodiscard]] trace::Timeline* timeline(unsigned worker) const;

  scc::MemoryMap map_;
  scc::CoreMemory own_memory_;  // of the master's core
  WorkerCores cores_;
  ChipCore core_;
  // The task that runs now: what it asks for, and since when; nullptr: main does.
  Run* running_ = nullptr;
  std::vector<scc::Extent> touched_;  // by it, as it says
  Cycles running_since_ = 0;
  unsigned running_worker_ = 0;
};

}  // namespace myr::cluster::master
