// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "machine.hpp"
#include "random/program.hpp"
#include "sched/topology.hpp"

namespace myr::sim_test {

// What programs did that not every program does, to see that tests come to it.
struct Rarities {
  std::uint64_t unmanaged_uses = 0;  // accesses to memory that is in no region
  std::uint64_t parts = 0;           // to parts of objects
  std::uint64_t locals_gone = 0;     // of a task's own memory, at its end
  std::uint64_t reallocations = 0;
  std::uint64_t given_back = 0;  // tasks, by workers
};

struct AgentsRun {
  random_test::Outcome outcome;
  std::string failure;  // empty: none
  std::uint64_t messages = 0;
  PageTrade trade;
  std::uint64_t transfers = 0;
  Rarities rarities;
};

// Runs a random program on simulated agents, in an order that the seed chooses.
[[nodiscard]] AgentsRun run_on_agents(const random_test::Program& program,
                                      const sched::Topology& topology, std::uint64_t seed,
                                      WorkerKind kind = {});

}  // namespace myr::sim_test
