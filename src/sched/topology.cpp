// SPDX-License-Identifier: Apache-2.0
#include "sched/topology.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace myr::sched {

bool to_region(const Topology& topology, std::uint64_t id, deps::NodeId& region) {
  region = deps::NodeId::region(id);
  const AgentId owner = proto::owner_of_region(region);
  return owner < topology.agent_count() && !topology.is_worker(owner);
}

AgentId Topology::add(AgentId parent) {
  const AgentId agent = agent_count();
  agents_.push_back({.parent = parent});
  if (parent != proto::kNoAgent) {
    agents_[agent].depth = agents_[parent].depth + 1;
    agents_[agent].index = static_cast<unsigned>(children(parent).size());
    agents_[parent].children.push_back(agent);
  }
  return agent;
}

// All agents below this one have been added.
void Topology::close(AgentId agent) {
  agents_[agent].end = agent_count();
  if (is_worker(agent)) {
    workers_.push_back(agent);
    return;
  }
  for (const AgentId child : children(agent)) {
    if (!is_worker(child)) agents_[agent].level = std::max(level(agent), level(child) + 1);
  }
  schedulers_.insert(std::lower_bound(schedulers_.begin(), schedulers_.end(), agent), agent);
}

Topology Topology::of_fan_outs(const std::vector<unsigned>& fan_outs) {
  MYR_ASSERT(!fan_outs.empty());
  Topology topology;
  topology.grow(topology.add(proto::kNoAgent), fan_outs, 0);
  return topology;
}

void Topology::grow(AgentId agent, const std::vector<unsigned>& fan_outs, std::size_t level) {
  for (unsigned i = 0; level < fan_outs.size() && i < fan_outs[level]; ++i) {
    grow(add(agent), fan_outs, level + 1);
  }
  close(agent);
}

Topology Topology::of_counts(unsigned schedulers, unsigned workers) {
  MYR_ASSERT(schedulers > 0 && workers > 0);
  Topology topology;
  topology.grow_evenly(topology.add(proto::kNoAgent), schedulers, workers);
  return topology;
}

// `schedulers` of the subtree, with this one.
void Topology::grow_evenly(AgentId agent, unsigned schedulers, unsigned workers) {
  const unsigned below = schedulers - 1;
  const unsigned parts = below == 0 ? workers : std::min(below, kFanOutMax);
  for (unsigned i = 0; i < parts; ++i) {
    const auto share = [&](unsigned total) { return total * (i + 1) / parts - total * i / parts; };
    const AgentId child = add(agent);
    if (below == 0) {
      close(child);
    } else {
      grow_evenly(child, share(below), share(workers));
    }
  }
  close(agent);
}

std::size_t Topology::child_index(AgentId top, AgentId agent) const noexcept {
  if (parent(agent) == top) return agents_[agent].index;
  const std::vector<AgentId>& below = children(top);
  const auto behind = std::upper_bound(below.begin(), below.end(), agent);
  return static_cast<std::size_t>(behind - below.begin()) - 1;
}

AgentId Topology::next_hop(AgentId from, AgentId to) const noexcept {
  if (!is_within(to, from)) return parent(from);
  return parent(to) == from ? to : children(from)[child_index(from, to)];
}

AgentId Topology::common(AgentId a, AgentId b) const noexcept {
  while (!is_within(b, a)) a = parent(a);
  return a;
}

unsigned Topology::worker_number(AgentId agent) const noexcept {
  return static_cast<unsigned>(std::lower_bound(workers_.begin(), workers_.end(), agent) -
                               workers_.begin());
}

}  // namespace myr::sched
