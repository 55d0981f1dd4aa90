// SPDX-License-Identifier: Apache-2.0
//
// What is chosen outside the program: the machine (MYR_ON), how it places tasks (MYR_LOAD_PERCENT),
// what takes time on a simulated one (MYR_CYCLES_PER_NS), how a master orders tasks and where
// memory, the master and tasks are on a chip (MYR_BLOCK_BYTES, MYR_PLACEMENT, MYR_MASTER,
// MYR_WORKERS), how long idle threads spin (MYR_SPIN) and whether they have processors of their
// own (MYR_PIN), how large stacks are (MYR_STACK), and what to report (MYR_STATS, MYR_TRACE,
// MYR_GRAPH); MYR_CHAOS and MYR_POISON. And whether main takes part, which the process decides.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cluster/machine.hpp"
#include "engine/engine.hpp"
#include "myr/process.h"
#include "plat/task_stack.hpp"
#include "runtime/machine.hpp"
#include "sched/topology.hpp"
#include "trace/output.hpp"
#include "transport/sim/chip.hpp"

namespace myr::runtime {

struct MachineChoice {
  StartMachine start;
  bool is_serial = false;
  bool is_job = false;        // of processes that a launcher of MPI starts
  bool is_spmd = false;       // of such: each worker runs main
  bool keeps_graph = false;   // for MYR_GRAPH
  bool has_guests = false;    // any thread of the program may call
  unsigned worker_count = 1;  // of serial, smp and a master; threads of each worker of a tree
  std::optional<sched::Topology> topology;   // tree, mpi and sim, except for a master
  std::optional<transport::sim::Chip> chip;  // sim
};

// Reads the name of a machine; the error says what was expected.
//   serial, smp (one worker a usable processor), smp:N
//   tree:S+W (S schedulers and W workers), tree:AxBx..xW (fan-outs from the top down)
//   master:1+W (a master and W workers)
//   mpi:S+W, mpi:AxBx..xW (a tree, a process of an MPI job each)
//   spmd:S+W, spmd:AxBx..xW (the same, and each worker runs main)
//   sim:CHIP (all its cores), sim:CHIP:S+W, sim:CHIP:AxBx..xW
//   sim:scc-48 (a master and all other cores), sim:scc-48:1+W
[[nodiscard]] base::Result<MachineChoice> parse_machine(std::string_view text);
[[nodiscard]] MachineChoice serial();

struct Settings {
  MachineChoice machine;
  bool has_main = true;      // the thread that starts the machine is main's
  std::string machine_name;  // as given, or the default
  enum class Stats : std::uint8_t { None, Table, Json };
  Stats stats = Stats::None;           // what to print of the agents' times and counts at the end
  trace::Names files;                  // to write then
  cluster::Options agents;             // of tree and sim
  std::optional<std::uint64_t> chaos;  // the seed of what is left to chance
  std::uint64_t spin_ns = engine::kSpinNs;  // of threads of smp and tree that have nothing to do
  bool pins = false;                        // each worker of smp has a processor of its own
  std::size_t stack_mib = plat::kTaskStackMib;  // of tasks
};

// What the program wants where the environment says nothing: values by the names of variables.
using Wishes = std::map<std::string, std::string>;
// The wishes of the configuration; the error says what is wrong with it.
[[nodiscard]] base::Result<Wishes> wishes_of(const myr_config& config);

// From the environment, and the wishes.
[[nodiscard]] base::Result<Settings> read_settings(const Wishes& wishes);

}  // namespace myr::runtime
