// SPDX-License-Identifier: Apache-2.0
//
// TreeMachine: schedulers and workers on threads that share nothing but channels and the memory of
// the user's program.
#pragma once

#include <memory>
#include <vector>

#include "base/result.hpp"
#include "cluster/machine.hpp"
#include "cluster/threads/node.hpp"
#include "cluster/threads/scheduler_node.hpp"
#include "plat/thread.hpp"
#include "sched/topology.hpp"

namespace myr::cluster::threads {

class TreeMachine final : public Machine {
 public:
  // Errors: the system refuses memory or threads.
  [[nodiscard]] static base::Result<std::unique_ptr<Machine>> create(sched::Topology topology,
                                                                     const Options& options);
  ~TreeMachine() override;

  // To one node after the other; all that the thread spawns is local.
  [[nodiscard]] const char* admit() override;
  void finish_guests(bool for_ever) override;
  void stop() override;
  [[nodiscard]] std::vector<AgentUsage> usage() const override;
  [[nodiscard]] std::vector<const engine::LineTimes*> lines() const override {
    return engine_->lines();
  }
  [[nodiscard]] trace::Clock clock() const override { return clock_; }
  [[nodiscard]] const sched::Topology& topology() const noexcept override { return topology_; }

 private:
  TreeMachine(sched::Topology topology, const Options& options,
              std::unique_ptr<graph::RegionSpace> space, proto::PageRun memory);
  void watch(trace::Recording* recording);
  [[nodiscard]] base::Result<bool> start();
  [[nodiscard]] base::Result<bool> start_engine();

  const sched::Topology topology_;
  const Options options_;
  const std::unique_ptr<graph::RegionSpace> space_;
  transport::threads::Wires wires_;
  sync::Atomic<bool> stopping_{false};  // set by main's thread [cluster.stop]
  Commons commons_;
  std::vector<std::unique_ptr<SchedulerNode>> schedulers_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::unique_ptr<engine::Engine> engine_;
  std::vector<plat::Thread> threads_;  // of schedulers
  std::uint64_t start_ns_ = 0;
  trace::Clock clock_{};
};

}  // namespace myr::cluster::threads
