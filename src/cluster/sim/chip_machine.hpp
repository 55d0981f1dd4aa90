// SPDX-License-Identifier: Apache-2.0
//
// ChipMachine: runs the user's program on a simulated chip. Everything happens on the thread that
// created it: the events of the chip on a stack of their own, each task on another, and main on the
// thread's. A task runs until it asks for something; then the chip goes on with what comes first.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cluster/machine.hpp"
#include "cluster/sim/machine.hpp"
#include "cluster/strands.hpp"
#include "graph/region_space.hpp"
#include "plat/fiber.hpp"

namespace myr::cluster::sim {

class ChipContext;

class ChipMachine final : public cluster::Machine, private Bodies {
 public:
  // REQUIRES: the tree fits onto the chip. Errors: the system refuses memory.
  [[nodiscard]] static base::Result<std::unique_ptr<cluster::Machine>> create(
      sched::Topology topology, Chip chip, const Options& options);
  ~ChipMachine() override;

  [[nodiscard]] const char* admit() override { return kNoVirtualTime; }
  void stop() override;
  [[nodiscard]] std::vector<AgentUsage> usage() const override;
  // A cycle counts as a nanosecond.
  [[nodiscard]] trace::Clock clock() const override;
  [[nodiscard]] const sched::Topology& topology() const noexcept override { return topology_; }

 private:
  friend ChipContext;
  ChipMachine(sched::Topology topology, Chip chip, const Options& options,
              std::unique_ptr<graph::RegionSpace> space, proto::PageRun memory);
  [[nodiscard]] base::Result<bool> start();

  // ---- Bodies
  void begin(AgentId worker, const proto::Work& work) override;
  void go_on(TaskId task) override;
  void answer(const proto::RegionMade& answer) override;
  void answer(const proto::Allocated& answer) override;
  void misuse(sched::Misuse kind, std::uint64_t program, const proto::Access& access) override;

  static void run_chip(void* machine);

  const std::unique_ptr<graph::RegionSpace> space_;
  const sched::Topology topology_;
  const Chip chip_;
  const Options options_;
  transport::sim::scc::Controllers controllers_;  // of a chip that shares memory
  sim::Machine machine_;                          // the chip; the base class is another one
  UserTaskPtr main_;
  std::vector<std::unique_ptr<ChipContext>> contexts_;  // by agent; none for schedulers
  std::unique_ptr<plat::Fiber> home_;                   // main's
  std::unique_ptr<plat::Fiber> events_;
  Strands strands_;
  bool is_over_ = false;
};

}  // namespace myr::cluster::sim
