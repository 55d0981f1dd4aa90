// SPDX-License-Identifier: Apache-2.0
//
// Machine: a tree of schedulers and workers that runs the user's program: on threads, or on a
// simulated chip. The thread that creates it becomes its first worker, on which main runs already,
// if it has a main.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cluster/agent_log.hpp"
#include "engine/line_times.hpp"
#include "sched/topology.hpp"
#include "trace/clock.hpp"
#include "transport/sim/scc/chip.hpp"

namespace myr::cluster {

// What may be chosen about a machine beside its shape.
struct Options {
  bool has_main = true;        // false: all threads of the program are guests
  unsigned threads = 1;        // of each worker of a tree
  unsigned load_percent = 80;  // weight of even load against that of near data: sched::Placer
  // On a simulated chip: cycles of a worker core for each nanosecond that a task runs here; 0: only
  // what tasks declare by myr_work() counts.
  double cycles_per_ns = 0;
  // On a machine with a master: the size of a block of memory, by which it orders tasks; on a chip,
  // its core, and whether a task goes to a worker near the controller that has its memory.
  std::uint64_t block_bytes = 4096;
  unsigned master_core = transport::sim::scc::kMiddle;
  bool gives_near = false;
  // On a chip without coherent caches: how memory is spread over its controllers.
  transport::sim::scc::Placement placement = transport::sim::scc::Placement::Striped;
  // A seed: tasks are placed at random, and everything may take longer than it has to.
  std::optional<std::uint64_t> chaos = {};
  // Main runs on each worker, which are processes; there are no tasks.
  bool is_spmd = false;
  // Between processes: what a process holds no valid copy of any more is overwritten, so that a
  // transfer that is missing shows.
  bool poisons = false;
  std::uint64_t silence_ns = 4'000'000'000;  // the same: how long one may say nothing; 0: for ever
  std::uint64_t spin_ns = 0;                 // of a tree's threads that have nothing to do
  bool measures_time = false;                // for usage()
  trace::Recording* recording = nullptr;     // timelines by agent; outlives the machine
};

// Why a simulated machine does not admit a thread.
inline constexpr const char* kNoVirtualTime =
    "all happens in virtual time, in which such a thread has no place";

class Machine {
 public:
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;

  // Gives the calling thread, which is none of the machine's, a context. None of these while stop()
  // runs. Returns why not; nullptr: it has one.
  [[nodiscard]] virtual const char* admit() { return "this machine accepts no such thread"; }
  // Waits for the tasks of such threads; with `for_ever` their calls do not return any more.
  virtual void finish_guests(bool /*for_ever*/) {}
  // Ends all agents; the caller, which was main's, has no context any more. REQUIRES: main has
  // waited for all its children.
  virtual void stop() = 0;

  // ---- once it has stopped

  // By agent.
  [[nodiscard]] virtual std::vector<AgentUsage> usage() const = 0;
  // The times of this process's workers, if they are measured and the clock is this computer's.
  [[nodiscard]] virtual std::vector<const engine::LineTimes*> lines() const { return {}; }
  // The clock of these times, and of the timelines.
  [[nodiscard]] virtual trace::Clock clock() const = 0;
  [[nodiscard]] virtual const sched::Topology& topology() const noexcept = 0;
};

}  // namespace myr::cluster
