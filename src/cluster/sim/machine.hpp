// SPDX-License-Identifier: Apache-2.0
//
// Machine: a whole tree machine on a simulated chip, in virtual time and in one thread: the
// product's schedulers and workers, each on a core of its own. Nothing is left to chance, so the
// same program takes the same cycles every time.
//
// A core does one thing at a time. What comes for it meanwhile waits, in order; a task is not
// interrupted, but when it calls the runtime, what has come is handled first (paper 1, section
// V-E). Handling takes what the chip's table says, sending too. Messages between neighbours of the
// tree arrive in the order in which they were sent, after the chip's latency. Transfers keep the
// engine of the core that they come from busy, one after the other, but not the core.
//
// What tasks do is told by Bodies; messages that programs send are paid for by their worker.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cluster/agent_log.hpp"
#include "proto/messages.hpp"
#include "sched/environment.hpp"
#include "sched/topology.hpp"
#include "transport/sim/chip.hpp"

namespace myr::cluster::sim {

using proto::AgentId;
using proto::TaskId;
using transport::sim::Chip;
using transport::sim::CoreIndex;
using transport::sim::Cycles;

// What tasks do. Called back by the machine; each call ends by telling it how the task goes on:
// resume_later(), resume_when_spawned(), waits() or ended(), or by sending a request whose answer
// comes here.
class Bodies {
 public:
  Bodies() = default;
  Bodies(const Bodies&) = delete;
  Bodies& operator=(const Bodies&) = delete;

  virtual void begin(AgentId worker, const proto::Work& work) = 0;
  virtual void go_on(TaskId task) = 0;
  virtual void answer(const proto::RegionMade& answer) = 0;
  virtual void answer(const proto::Allocated& answer) = 0;
  // The machine stops.
  virtual void misuse(sched::Misuse kind, std::uint64_t program, const proto::Access& access) = 0;

 protected:
  ~Bodies() = default;
};

// The memory of the schedulers.
struct Memory {
  // Makes the store of the scheduler with this index.
  std::function<std::unique_ptr<sched::Store>(std::uint32_t)> make_store;
  proto::PageRun pages;
};

struct Settings {
  static constexpr unsigned kNoLimit = ~0U;
  // How many spawns of a worker its tasks' homes may have left to handle. The published runtime
  // has one.
  unsigned spawns_ahead = kNoLimit;
  unsigned load_percent = 80;               // see sched::Placer
  trace::Recording* recording = nullptr;    // what agents do beside tasks is written there
  std::optional<std::uint64_t> chaos = {};  // a seed: tasks are placed, and time passes, at random
};

class Machine {
 public:
  // REQUIRES: the tree fits onto the chip (see map_to_cores). All outlive the machine.
  Machine(const sched::Topology& topology, const Chip& chip, Settings settings, Bodies& bodies,
          const Memory& memory);
  ~Machine();

  // Runs main, and all that follows from it. False: misuse, or tasks that wait for ever.
  [[nodiscard]] bool run();
  [[nodiscard]] Cycles now() const noexcept;
  // Until now.
  [[nodiscard]] AgentUsage usage_of(AgentId agent) const;
  // What agents have handled: messages, transfers that ended, tasks that went on.
  [[nodiscard]] std::uint64_t event_count() const noexcept;

  // ---- for Bodies, about a task on the worker that has called them

  // The task works for so long; its worker does something for it.
  void work(Cycles cycles);
  void spend(Cycles cycles);
  void send(AgentId to, proto::Body body);
  void spawn(proto::Spawn message);
  [[nodiscard]] bool may_spawn() const;
  void resume_later(TaskId task);
  // REQUIRES: !may_spawn().
  void resume_when_spawned(TaskId task);
  void waits(TaskId task);
  // `accesses`: how many the task had.
  void ended(TaskId task, std::uint32_t accesses);
  // The same for one of a step that is replayed. `has_spawned`: tasks that it ran by itself.
  void ended_replayed(TaskId task, bool has_spawned);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace myr::cluster::sim
