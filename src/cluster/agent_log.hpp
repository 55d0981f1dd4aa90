// SPDX-License-Identifier: Apache-2.0
//
// What the agents of a machine do when, for --stats and --trace. Times are in ticks of the clock of
// the machine: this computer's, or the cycles of a simulated chip.
#pragma once

#include <cstdint>
#include <vector>

#include "proto/messages.hpp"
#include "sched/topology.hpp"
#include "trace/recording.hpp"

namespace myr::cluster {

// What one agent has done.
struct AgentUsage {
  std::uint64_t task_ticks = 0;  // in tasks, or in main
  std::uint64_t runtime_ticks =
      0;  // a worker's in calls and between tasks; a scheduler's scheduling
  std::uint64_t memory_ticks = 0;  // of a scheduler: allocating, freeing, trading pages
  std::uint64_t wait_ticks = 0;    // of a worker: for answers, and for the data of the next task
  std::uint64_t idle_ticks = 0;
  std::uint64_t tasks = 0;           // run
  std::uint64_t messages = 0;        // taken
  std::uint64_t message_bytes = 0;   // of these
  std::uint64_t fetched_bytes = 0;   // from other workers, where memory is not shared
  std::uint64_t kept_tasks = 0;      // that no other process could run
  std::uint64_t replayed_tasks = 0;  // of recorded steps that were not analysed
  // Of a master: pairs of a task and a block that it waits for, and those of them where it has no
  // byte in common with whom it waits for.
  std::uint64_t conflicts = 0;
  std::uint64_t false_conflicts = 0;
};

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
