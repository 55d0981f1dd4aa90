// SPDX-License-Identifier: Apache-2.0
//
// SchedulerNode: a scheduler of a tree machine on a thread: hands messages to the state machine and
// what that sends to the wires.
#pragma once

#include <optional>

#include "cluster/agent_log.hpp"
#include "cluster/heap_store.hpp"
#include "plat/jitter.hpp"
#include "sched/scheduler.hpp"
#include "sync/atomic.hpp"
#include "transport/threads/wires.hpp"

namespace myr::cluster::threads {

using proto::AgentId;
using transport::threads::Port;

class SchedulerNode final : private sched::Environment {
 public:
  // `index`: among the schedulers.
  SchedulerNode(const sched::Topology& topology, AgentId self, std::uint32_t index,
                const sched::Options& options, Port& port);

  // The calling thread is the node's. Until `stopping` is set.
  void run(const sync::Atomic<bool>& stopping);
  void wake() { port_.wake(); }

  // Before it runs: keep account of its time. `timeline`: may be nullptr.
  void watch(trace::Timeline* timeline);
  // Once it has ended.
  [[nodiscard]] AgentUsage usage() const;

 private:
  void take(transport::threads::Incoming& incoming);
  void change(trace::State state);
  void send(proto::Message message) override;
  void misuse(sched::Misuse kind, std::uint64_t program, const proto::Access& access) override;

  const sched::Topology& topology_;
  AgentId self_;
  Port& port_;
  HeapStore store_;
  sched::Scheduler scheduler_;
  std::optional<AgentLog> log_;  // none: nobody watches
  std::optional<plat::Jitter> chaos_;
};

}  // namespace myr::cluster::threads
