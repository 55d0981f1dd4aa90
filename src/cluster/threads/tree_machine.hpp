// SPDX-License-Identifier: Apache-2.0
//
// TreeMachine: schedulers and workers on threads that share nothing but channels and the memory of
// the user's program.
#pragma once

#include <memory>
#include <vector>

#include "base/result.hpp"
#include "cluster/machine.hpp"
#include "cluster/threads/scheduler_node.hpp"
#include "cluster/threads/worker_node.hpp"
#include "plat/thread.hpp"
#include "sched/topology.hpp"

namespace myr::cluster::threads {

class TreeMachine final : public Machine {
 public:
  // Errors: the system refuses memory or threads.
  [[nodiscard]] static base::Result<std::unique_ptr<Machine>> create(sched::Topology topology,
                                                                     const Options& options);
  ~TreeMachine() override;

  [[nodiscard]] AgentContext& main_context() noexcept override { return *workers_.front(); }
  void stop() override;
  [[nodiscard]] std::vector<AgentUsage> usage() const override;
  [[nodiscard]] trace::Clock clock() const override { return clock_; }
  [[nodiscard]] const sched::Topology& topology() const noexcept override { return topology_; }

 private:
  TreeMachine(sched::Topology topology, const Options& options, proto::PageRun memory);
  void watch(trace::Recording* recording);
  [[nodiscard]] base::Result<bool> start_threads();

  const sched::Topology topology_;
  transport::threads::Wires wires_;
  sync::Atomic<bool> stopping_{false};  // set by main's thread [cluster.stop]
  UserTaskPtr main_;
  std::vector<std::unique_ptr<SchedulerNode>> schedulers_;
  std::vector<std::unique_ptr<WorkerNode>> workers_;
  std::vector<plat::Thread> threads_;
  std::uint64_t start_ns_ = 0;
  trace::Clock clock_{};
};

}  // namespace myr::cluster::threads
