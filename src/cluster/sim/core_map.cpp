// SPDX-License-Identifier: Apache-2.0
#include "cluster/sim/core_map.hpp"

#include <algorithm>

namespace myr::cluster::sim {

using sched::AgentId;
using sched::Topology;
using transport::sim::Chip;
using transport::sim::CoreIndex;

namespace {

constexpr CoreIndex kNoCore = ~CoreIndex{0};

// Those on strong cores, the lowest of them first.
std::vector<AgentId> strong_schedulers(const Topology& topology, const Chip& chip) {
  std::vector<AgentId> schedulers = topology.schedulers();
  std::stable_sort(schedulers.begin(), schedulers.end(),
                   [&](AgentId a, AgentId b) { return topology.depth(a) < topology.depth(b); });
  schedulers.resize(std::min<std::size_t>(schedulers.size(), chip.cores().strong));
  std::reverse(schedulers.begin(), schedulers.end());
  return schedulers;
}

unsigned hops_to_children(const Topology& topology, const Chip& chip, AgentId agent, CoreIndex core,
                          const std::vector<CoreIndex>& cores) {
  unsigned hops = 0;
  for (const AgentId child : topology.children(agent)) hops += chip.hops(core, cores[child]);
  return hops;
}

}  // namespace

std::optional<std::vector<CoreIndex>> map_to_cores(const Topology& topology, const Chip& chip) {
  std::vector<CoreIndex> cores(topology.agent_count(), kNoCore);
  const std::vector<AgentId> strong = strong_schedulers(topology, chip);
  std::vector<bool> is_strong(topology.agent_count(), false);
  for (const AgentId agent : strong) is_strong[agent] = true;

  // Agents of a subtree follow each other, and neighbours among the cores are near to each other.
  CoreIndex next = chip.cores().strong;
  for (AgentId agent = 0; agent < topology.agent_count(); ++agent) {
    if (is_strong[agent]) continue;
    if (next == chip.core_count()) return {};
    cores[agent] = next++;
  }
  std::vector<CoreIndex> unused(chip.cores().strong);
  for (CoreIndex core = 0; core < unused.size(); ++core) unused[core] = core;
  for (const AgentId agent : strong) {
    const auto nearest =
        std::min_element(unused.begin(), unused.end(), [&](CoreIndex a, CoreIndex b) {
          return hops_to_children(topology, chip, agent, a, cores) <
                 hops_to_children(topology, chip, agent, b, cores);
        });
    cores[agent] = *nearest;
    unused.erase(nearest);
  }
  return cores;
}

}  // namespace myr::cluster::sim
