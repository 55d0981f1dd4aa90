// SPDX-License-Identifier: Apache-2.0
//
// ChipMachine: runs the user's program on a simulated chip. Everything happens on the thread that
// created it: the events of the chip on a stack of their own, each task on another, and main on the
// thread's. A task runs until it asks for something; then the chip goes on with what comes first.
// The tasks of all cores are those of one worker of a serial engine, which knows the running one.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "cluster/machine.hpp"
#include "cluster/sim/machine.hpp"
#include "engine/engine.hpp"
#include "engine/outside.hpp"
#include "engine/suspended.hpp"
#include "graph/region_space.hpp"
#include "plat/fiber.hpp"

namespace myr::cluster::sim {

class ChipNode;

class ChipMachine final : public cluster::Machine, private Bodies, private engine::Outside {
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
  friend ChipNode;
  ChipMachine(sched::Topology topology, Chip chip, const Options& options,
              std::unique_ptr<graph::RegionSpace> space, proto::PageRun memory);
  [[nodiscard]] base::Result<bool> start();

  // ---- Bodies
  void begin(AgentId worker, const proto::Work& work) override;
  void go_on(TaskId task) override;
  void answer(const proto::RegionMade& answer) override;
  void answer(const proto::Allocated& answer) override;
  void misuse(sched::Misuse kind, std::uint64_t program, const proto::Access& access) override;

  // ---- Outside: what comes, the chip begins
  [[nodiscard]] unsigned first_track() const override { return 0; }
  void adopt_thread(engine::Worker&) override {}
  [[nodiscard]] graph::Task* take(engine::Worker&) override { return nullptr; }
  [[nodiscard]] Ended body_ended(engine::Worker& worker, graph::Task& task,
                                 const void* frame) override;
  [[nodiscard]] bool has_spread(const graph::Task& task) const override;
  void await_spread(engine::Worker& worker, graph::Task& task, const void* frame) override;
  void tell_ended(engine::Worker& worker, std::uint64_t ended) override;

  [[nodiscard]] engine::Worker& worker() noexcept { return engine_->worker(0); }
  // Leaves the running task for the chip's events. Returns when they go on with it.
  void leave(TaskId task);
  template <class Answer>
  void give(const Answer& answer);
  static void run_chip(void* machine);

  const std::unique_ptr<graph::RegionSpace> space_;
  const sched::Topology topology_;
  const Chip chip_;
  const Options options_;
  transport::sim::scc::Controllers controllers_;  // of a chip that shares memory
  sim::Machine machine_;                          // the chip; the base class is another one
  std::unique_ptr<engine::Engine> engine_;
  std::vector<std::unique_ptr<ChipNode>> nodes_;  // by agent; none for schedulers
  ChipNode* running_ = nullptr;                   // whose task runs
  std::unique_ptr<plat::Fiber> events_;
  graph::Suspended home_{};                          // on the stack of the events
  std::unordered_map<TaskId, plat::Fiber*> stacks_;  // of tasks that have left
  bool is_over_ = false;
};

}  // namespace myr::cluster::sim
