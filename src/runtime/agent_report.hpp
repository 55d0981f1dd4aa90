// SPDX-License-Identifier: Apache-2.0
//
// What --stats prints of a machine of agents: where the time of its workers and its schedulers
// went, and what they told each other.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cluster/agent_log.hpp"
#include "sched/topology.hpp"
#include "trace/clock.hpp"

namespace myr::runtime {

struct AgentReport {
  enum class Unit : std::uint8_t { Ns, Cycles };  // of times: this computer's, or a chip's
  std::string_view machine;
  Unit unit;
  const sched::Topology& topology;
  std::vector<cluster::AgentUsage> usage;  // by agent
  trace::Clock clock;
};

// A table for people, on stderr.
void print(const AgentReport& report);
// One object, on one line of stderr: {"machine", "cycles" or "ns", "agents": [{"kind", "index",
// "level" (of schedulers below it), times by state, "tasks", "messages", "message_bytes",
// "dma_bytes"}]}.
void print_as_json(const AgentReport& report);

}  // namespace myr::runtime
