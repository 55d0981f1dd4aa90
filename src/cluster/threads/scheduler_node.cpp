// SPDX-License-Identifier: Apache-2.0
#include "cluster/threads/scheduler_node.hpp"

#include <algorithm>
#include <memory>

#include "cluster/heap_store.hpp"
#include "cluster/misuse.hpp"
#include "plat/clock.hpp"

namespace myr::cluster::threads {

SchedulerNode::SchedulerNode(const Commons& commons, AgentId self, const sched::Options& options,
                             std::unique_ptr<HeapStore> store, Port& port)
    : commons_(commons),
      port_(port),
      host_(commons.topology, self, options, *this, std::move(store)) {
  if (options.chaos) chaos_.emplace(base::Dice(*options.chaos, proto::kNoAgent - self));
}

void SchedulerNode::run(const sync::Atomic<bool>& stopping) {
  while (!stopping.load(sync::relaxed)) {  // [cluster.stop]
    if (MYR_UNLIKELY(!asked_.empty())) {
      port_.flush();
      for (const AgentId node : asked_) commons_.node_of(node).take_messages();
    }
    if (host_.serve()) continue;
    change(trace::State::Idle);
    port_.wait();
    change(trace::State::Runtime);
  }
}

void SchedulerNode::send(AgentId next_hop, proto::Message&& message) {
  const bool asks = std::holds_alternative<proto::GiveBack>(message.body);
  if (asks && commons_.topology.is_worker(next_hop)) asked_.push_back(next_hop);
  port_.send(next_hop, std::move(message));
}

std::optional<transport::threads::Incoming> SchedulerNode::receive() {
  auto incoming = port_.receive();
  if (!incoming) return incoming;
  if (std::holds_alternative<proto::GivenBack>(incoming->message.body)) {
    const auto answered = std::find(asked_.begin(), asked_.end(), incoming->from);
    if (answered != asked_.end()) asked_.erase(answered);
  }
  if (chaos_) chaos_->delay();
  if (log_) {
    change(is_about_memory(incoming->message.body) ? trace::State::Memory : trace::State::Runtime);
  }
  return incoming;
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

void SchedulerNode::misuse(sched::Misuse kind, std::uint64_t program, const proto::Access& access) {
  report(kind, program, access);
}

}  // namespace myr::cluster::threads
