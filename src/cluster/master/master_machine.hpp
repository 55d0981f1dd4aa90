// SPDX-License-Identifier: Apache-2.0
//
// MasterMachine: runs the user's program as paper 3 does. Main runs on the master's core; what it
// spawns, workers run. What a task spawns runs at once, inside of it. Where the cores are, a
// simulated chip or threads, is for machines derived from this one.
//
// Each task's own part of the runtime - memory, footprints, failures, what it spawns - is a serial
// engine's.
//
// Threads: main's.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cluster/machine.hpp"
#include "cluster/master/master.hpp"
#include "engine/engine.hpp"
#include "graph/region_space.hpp"
#include "transport/sim/scc/core_memory.hpp"

namespace myr::cluster::master {

class MasterContext;

class MasterMachine : public cluster::Machine {
 public:
  ~MasterMachine() override;

  void stop() override;
  // The master is the scheduler.
  [[nodiscard]] const sched::Topology& topology() const noexcept final { return topology_; }

 protected:
  friend MasterContext;
  using Blocks = std::vector<deps::BlockAccess>;
  // Blocks of an access: 256 GiB of usual ones.
  static constexpr std::uint64_t kBlocksMax = std::uint64_t{1} << 26;
  // A task of main. Written by main before the task is given away.
  struct Spawned {
    graph::Task* task = nullptr;  // until it has ended
    const myr_site* site = nullptr;
    std::vector<scc::Extent> extents;  // that it uses
    bool writes_region = false;        // so it may free some of them
  };

  MasterMachine(unsigned workers, const Options& options,
                std::unique_ptr<graph::RegionSpace> space);
  // Makes the caller main.
  [[nodiscard]] base::Result<bool> start(MasterCore& core);
  // See Master.
  void set_places(std::vector<std::uint8_t> places) { master_->set_places(std::move(places)); }
  [[nodiscard]] unsigned worker_count() const noexcept { return worker_count_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] graph::RegionSpace& space() noexcept { return *space_; }
  [[nodiscard]] engine::Engine& engine() noexcept { return *engine_; }
  // Those of the master and, by number behind it, the workers, then of guests.
  [[nodiscard]] graph::Recyclers& recyclers() noexcept { return recyclers_; }
  [[nodiscard]] Spawned& spawned(std::uint32_t number) noexcept { return spawned_[number]; }
  // What the master has done, except for idle time.
  [[nodiscard]] AgentUsage master_usage(Cycles total, Cycles idle) const;

  // ---- for main's calls
  void spawn(graph::Task& task);
  // The parts of a loop, of which all is in these regions. REQUIRES: there are workers.
  void spawn_parts(const std::vector<graph::Task*>& parts, std::span<const myr_access> regions);
  void wait(const Blocks& blocks);
  void wait_all();
  // False: they are more than kBlocksMax, and are not added.
  [[nodiscard]] bool add_blocks(const graph::Target& target, Blocks& blocks) const;
  void add_within(deps::RegionIndex region, deps::BlockUse use, Blocks& blocks) const;
  // A task of main that has not ended and uses some of these bytes; nullptr: none does.
  [[nodiscard]] const Spawned* find_user(std::uint64_t begin, std::uint64_t end);

  // ---- of the cores

  // Before a task is given to the master.
  virtual void prepare(Spawned&) {}
  // Where what it uses is, if its worker should be there.
  [[nodiscard]] virtual std::uint8_t place_of(const Spawned&) { return Master::kAnyPlace; }
  // There are no workers.
  virtual void run_serially(Spawned&) {}
  // A task computes, or goes through memory.
  virtual void work(Cycles) {}
  virtual void touch(const scc::Extent&) {}
  // For the running task; and for the times in usage().
  [[nodiscard]] virtual Cycles now() const = 0;
  [[nodiscard]] virtual std::uint64_t ticks() const = 0;
  // On whose thread the caller is; 0: the master's.
  [[nodiscard]] virtual unsigned index_of(engine::Worker& worker) const = 0;

 private:
  class InRuntime;

  // A child of main's.
  [[nodiscard]] Spawned adopt(graph::Task& task, Blocks& blocks);
  [[nodiscard]] std::uint32_t take_number(Spawned spawned);
  // Checks an access of the task, and says what it uses.
  void declare(myr_access& access, const graph::Task& task, Spawned& spawned, Blocks& blocks);
  void count_conflicts(std::uint32_t number);
  // The size of a block that tasks use.
  [[nodiscard]] std::uint64_t block_bytes_at(std::uint64_t block) const;

  const sched::Topology topology_;
  const unsigned worker_count_;
  const Options options_;
  const std::unique_ptr<graph::RegionSpace> space_;
  graph::Recyclers recyclers_;
  std::unique_ptr<engine::Engine> engine_;  // main's
  std::unique_ptr<MasterContext> context_;
  std::optional<Master> master_;
  std::vector<Spawned> spawned_;     // by number
  std::uint64_t runtime_ticks_ = 0;  // in main's calls
  std::uint64_t conflicts_ = 0;
  std::uint64_t false_conflicts_ = 0;
};

}  // namespace myr::cluster::master
