// SPDX-License-Identifier: Apache-2.0
#include "cluster/threads/scheduler_node.hpp"

#include <utility>

#include "cluster/misuse.hpp"

namespace myr::cluster::threads {

SchedulerNode::SchedulerNode(const sched::Topology& topology, AgentId self, std::uint32_t index,
                             const sched::Options& options, Port& port)
    : topology_(topology),
      self_(self),
      port_(port),
      store_(index),
      scheduler_(topology, self, options, *this, store_) {}

void SchedulerNode::run(const sync::Atomic<bool>& stopping) {
  while (!stopping.load(sync::relaxed)) {  // [cluster.stop]
    if (std::optional<transport::threads::Incoming> incoming = port_.receive()) {
      scheduler_.receive(incoming->from, std::move(incoming->message));
    } else {
      port_.wait();
    }
  }
}

void SchedulerNode::send(proto::Message message) {
  const AgentId next = topology_.next_hop(self_, message.to);
  port_.send(next, std::move(message));
}

void SchedulerNode::misuse(sched::Misuse kind, std::uint64_t program, const proto::Access& access) {
  report(kind, program, access);
}

}  // namespace myr::cluster::threads
