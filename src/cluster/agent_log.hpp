// SPDX-License-Identifier: Apache-2.0
//
// What the agents of a machine do when, for --stats and --trace. Times are in ticks of the clock of
// the machine: this computer's, or the cycles of a simulated chip.
#pragma once

#include <cstdint>
#include <vector>

#include "proto/frames.hpp"
#include "sched/topology.hpp"
#include "trace/recording.hpp"

namespace myr::cluster {

// What one agent has done.
using AgentUsage = proto::Usage;

// In the order of agents; one for each of the threads of a worker.
[[nodiscard]] std::vector<trace::Track> tracks_of(const sched::Topology& topology,
                                                  unsigned threads);
// The first one of the agent.
[[nodiscard]] unsigned first_track(const sched::Topology& topology, proto::AgentId agent,
                                   unsigned threads);

// Is handling it the business of memory, not of scheduling?
[[nodiscard]] bool is_about_memory(const proto::Body& body);

// The agent's time, cut into states: it is always in one.
class AgentLog {
 public:
  // From now on, in `state`. `timeline`: may be nullptr.
  AgentLog(trace::Timeline* timeline, trace::State state, std::uint64_t ticks)
      : timeline_(timeline), state_(state), since_(ticks) {}

  void change(trace::State state, std::uint64_t ticks);
  // Times by change(); the rest is for the owner to count.
  [[nodiscard]] AgentUsage& usage() noexcept { return usage_; }
  [[nodiscard]] const AgentUsage& usage() const noexcept { return usage_; }

 private:
  trace::Timeline* timeline_;
  trace::State state_;
  std::uint64_t since_;
  AgentUsage usage_;
};

}  // namespace myr::cluster
