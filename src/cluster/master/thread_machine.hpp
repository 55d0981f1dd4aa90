// SPDX-License-Identifier: Apache-2.0
//
// ThreadMachine: a master and its workers on threads of this computer, as they are on the SCC: they
// speak through message buffers, and others see what a task writes once it has been flushed.
//
// Each worker is a serial engine with a thread of its own; tasks come to it from outside.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cluster/master/master_machine.hpp"
#include "cluster/master/thread_core.hpp"
#include "cluster/master/thread_worker.hpp"
#include "engine/outside.hpp"

namespace myr::cluster::master {

class ThreadMachine final : public MasterMachine {
 public:
  static constexpr unsigned kWorkersMax = engine::Engine::kWorkersMax - 1;

  // REQUIRES: 1 to kWorkersMax workers. Errors: the system refuses memory or threads.
  [[nodiscard]] static base::Result<std::unique_ptr<cluster::Machine>> create(
      unsigned workers, const Options& options);
  ~ThreadMachine() override;

  // What they spawn runs where it is spawned.
  [[nodiscard]] const char* admit() override;
  void finish_guests(bool for_ever) override;
  void stop() override;
  [[nodiscard]] std::vector<AgentUsage> usage() const override;
  [[nodiscard]] std::vector<const engine::LineTimes*> lines() const override;
  [[nodiscard]] trace::Clock clock() const override { return clock_; }

 private:
  class Node;

  ThreadMachine(unsigned workers, const Options& options,
                std::unique_ptr<graph::RegionSpace> space);
  [[nodiscard]] base::Result<bool> start_all();

  // ---- MasterMachine
  void prepare(Spawned& spawned) override;
  [[nodiscard]] Cycles now() const override { return 0; }
  [[nodiscard]] std::uint64_t ticks() const override;
  [[nodiscard]] unsigned index_of(engine::Worker& worker) const override;

  const bool has_processors_;  // for each of the threads
  ThreadBuffers buffers_;
  ThreadCore core_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::uint64_t start_ns_ = 0;
  trace::Clock clock_{};
};

}  // namespace myr::cluster::master
