// SPDX-License-Identifier: Apache-2.0
//
// Topology: the tree of schedulers, with workers below the lowest of them. Fixed while a machine
// runs; shared by all agents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proto/agent.hpp"
#include "proto/ids.hpp"

namespace myr::sched {

using proto::AgentId;

class Topology {
 public:
  // fan_outs[i]: how many children a scheduler of level i (0: the top) has; the last one counts
  // workers. REQUIRES: not empty, no zeros. E.g. {4}: one scheduler with four workers.
  [[nodiscard]] static Topology of_fan_outs(const std::vector<unsigned>& fan_outs);
  // Schedulers and workers, spread as evenly as can be: one level of schedulers below the top up
  // to kFanOutMax, then more levels. REQUIRES: at least one of each; workers for each lowest one.
  [[nodiscard]] static Topology of_counts(unsigned schedulers, unsigned workers);
  static constexpr unsigned kFanOutMax = 16;

  [[nodiscard]] AgentId agent_count() const noexcept {
    return static_cast<AgentId>(agents_.size());
  }
  [[nodiscard]] bool is_worker(AgentId agent) const noexcept {
    return agents_[agent].children.empty();
  }
  // Workers have no children, and all children of a scheduler are of one kind.
  [[nodiscard]] bool is_leaf_scheduler(AgentId agent) const noexcept {
    return !is_worker(agent) && is_worker(agents_[agent].children.front());
  }
  // kNoAgent for the top.
  [[nodiscard]] AgentId parent(AgentId agent) const noexcept { return agents_[agent].parent; }
  [[nodiscard]] const std::vector<AgentId>& children(AgentId agent) const noexcept {
    return agents_[agent].children;
  }
  // Schedulers above it: 0 for the top.
  [[nodiscard]] unsigned depth(AgentId agent) const noexcept { return agents_[agent].depth; }
  // Levels of schedulers below it: 0 for a leaf scheduler. As level hints count.
  [[nodiscard]] unsigned level(AgentId agent) const noexcept { return agents_[agent].level; }
  // Is the agent the other one, or below it?
  [[nodiscard]] bool is_within(AgentId agent, AgentId top) const noexcept {
    return agent >= top && agent < agents_[top].end;
  }
  // The agents of a subtree are [top, end).
  [[nodiscard]] AgentId end(AgentId top) const noexcept { return agents_[top].end; }
  // Which child of `top` the agent is, or is below. REQUIRES: there is one. Cost: O(1) for a child,
  // else O(log fan-out).
  [[nodiscard]] std::size_t child_index(AgentId top, AgentId agent) const noexcept;
  // Where a message to `to` goes next. REQUIRES: from != to. Cost: as child_index().
  [[nodiscard]] AgentId next_hop(AgentId from, AgentId to) const noexcept;
  // The lowest agent with both in its subtree.
  [[nodiscard]] AgentId common(AgentId a, AgentId b) const noexcept;

  // In the order of agents.
  [[nodiscard]] const std::vector<AgentId>& workers() const noexcept { return workers_; }
  [[nodiscard]] const std::vector<AgentId>& schedulers() const noexcept { return schedulers_; }
  // Its index in workers(); for a scheduler, how many workers come before it. Cost: O(log workers).
  [[nodiscard]] unsigned worker_number(AgentId agent) const noexcept;
  // The same for schedulers.
  [[nodiscard]] unsigned scheduler_number(AgentId agent) const noexcept {
    return agent - worker_number(agent);
  }

 private:
  struct Agent {
    AgentId parent;
    AgentId end = 0;
    unsigned index = 0;  // among the children of the parent
    unsigned depth = 0;
    unsigned level = 0;
    std::vector<AgentId> children;
  };

  AgentId add(AgentId parent);
  void close(AgentId agent);
  void grow(AgentId agent, const std::vector<unsigned>& fan_outs, std::size_t level);
  void grow_evenly(AgentId agent, unsigned schedulers, unsigned workers);

  std::vector<Agent> agents_;
  std::vector<AgentId> workers_;
  std::vector<AgentId> schedulers_;
};

// The region, if its number can be that of one; the root otherwise, and false.
[[nodiscard]] bool to_region(const Topology& topology, std::uint64_t id, deps::NodeId& region);

}  // namespace myr::sched
