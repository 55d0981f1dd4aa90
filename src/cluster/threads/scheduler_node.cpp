// SPDX-License-Identifier: Apache-2.0
#include "cluster/threads/scheduler_node.hpp"

#include <utility>

#include "cluster/misuse.hpp"
#include "plat/clock.hpp"

namespace myr::cluster::threads {

SchedulerNode::SchedulerNode(const sched::Topology& topology, AgentId self, std::uint32_t index,
                             const sched::Options& options, Port& port)
    : topology_(topology),
      self_(self),
      port_(port),
      store_(index),
      scheduler_(topology, self, options, *this, store_) {
  if (options.chaos) chaos_.emplace(base::Dice(*options.chaos, proto::kNoAgent - self));
}

void SchedulerNode::run(const sync::Atomic<bool>& stopping) {
  while (!stopping.load(sync::relaxed)) {  // [cluster.stop]
    if (std::optional<transport::threads::Incoming> incoming = port_.receive()) {
      if (chaos_) chaos_->delay();
      take(*incoming);
    } else {
      change(trace::State::Idle);
      port_.wait();
      change(trace::State::Runtime);
    }
  }
}

void SchedulerNode::take(transport::threads::Incoming& incoming) {
  if (log_) {
    change(is_about_memory(incoming.message.body) ? trace::State::Memory : trace::State::Runtime);
  }
  scheduler_.receive(incoming.from, std::move(incoming.message));
}

void SchedulerNode::change(trace::State state) {
  if (log_) log_->change(state, plat::ticks());
}

void SchedulerNode::watch(trace::Timeline* timeline) {
  log_.emplace(timeline, trace::State::Idle, plat::ticks());
}

AgentUsage SchedulerNode::usage() const {
  AgentUsage usage = log_ ? log_->usage() : AgentUsage{};
  usage.messages = port_.stats().messages_received;
  usage.message_bytes = port_.stats().bytes_received;
  return usage;
}

void SchedulerNode::send(proto::Message message) {
  const AgentId next = topology_.next_hop(self_, message.to);
  port_.send(next, std::move(message));
}

void SchedulerNode::misuse(sched::Misuse kind, std::uint64_t program, const proto::Access& access) {
  report(kind, program, access);
}

}  // namespace myr::cluster::threads
