// SPDX-License-Identifier: Apache-2.0
#include "transport/threads/wires.hpp"

#include "plat/cpu_quota.hpp"

namespace myr::transport::threads {

namespace {

// Some tens of microseconds: as long as waking a sleeper may take.
constexpr unsigned kSpinRounds = 500;

unsigned spin_rounds_for(AgentId agent_count) {
  return agent_count <= plat::usable_cpu_count() ? kSpinRounds : 0;
}

}  // namespace

Wires::Wires(AgentId agent_count, const std::vector<Edge>& edges)
    : BasicWires(agent_count, edges, spin_rounds_for(agent_count)) {}

}  // namespace myr::transport::threads
