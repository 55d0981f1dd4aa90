// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "machine.hpp"
#include "random/program.hpp"
#include "sched/topology.hpp"

namespace myr::sim_test {

struct AgentsRun {
  random_test::Outcome outcome;
  std::string failure;  // empty: none
  std::uint64_t messages = 0;
  PageTrade trade;
};

// Runs a random program on simulated agents, in an order that the seed chooses.
[[nodiscard]] AgentsRun run_on_agents(const random_test::Program& program,
                                      const sched::Topology& topology, std::uint64_t seed);

}  // namespace myr::sim_test
