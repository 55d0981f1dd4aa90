// SPDX-License-Identifier: Apache-2.0
//
// SchedulerNode: the thread of a scheduler of a tree machine: serves its host while messages come,
// waits while there are none, and notes how its time goes. It is its host's wire, for that.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "cluster/agent_log.hpp"
#include "cluster/heap_store.hpp"
#include "cluster/threads/node.hpp"
#include "plat/jitter.hpp"
#include "sched/host.hpp"
#include "sync/atomic.hpp"
#include "transport/threads/wires.hpp"

namespace myr::cluster::threads {

class SchedulerNode {
 public:
  SchedulerNode(const Commons& commons, AgentId self, const sched::Options& options,
                std::unique_ptr<HeapStore> store, Port& port);
  SchedulerNode(const SchedulerNode&) = delete;
  SchedulerNode& operator=(const SchedulerNode&) = delete;

  // The calling thread is the node's. Until `stopping` is set.
  void run(const sync::Atomic<bool>& stopping);
  void wake() { port_.wake(); }

  // Before it runs: keep account of its time. `timeline`: may be nullptr.
  void watch(trace::Timeline* timeline);
  // Once it has ended.
  [[nodiscard]] AgentUsage usage() const;

  // ---- for its host
  void send(AgentId next_hop, proto::Message&& message);
  [[nodiscard]] std::optional<transport::threads::Incoming> receive();
  void misuse(sched::Misuse kind, std::uint64_t program, const proto::Access& access);

 private:
  void change(trace::State state);

  const Commons& commons_;
  Port& port_;
  sched::Host<SchedulerNode> host_;
  std::optional<AgentLog> log_;  // none: nobody watches
  std::optional<plat::Jitter> chaos_;
  // Nodes that are to give a task back and have not answered. Their threads may all be busy, so
  // this one takes their messages.
  std::vector<AgentId> asked_;
};

}  // namespace myr::cluster::threads
