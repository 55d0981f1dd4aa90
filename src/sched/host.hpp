// SPDX-License-Identifier: Apache-2.0
//
// Host: a scheduler of a tree machine over a wire, whatever that is: channels between threads, the
// packets of a simulated chip, or queues that a test empties in an order of its own. See ADR 36.
//
// A wire is what one agent has of them:
//
//   wire.send(next_hop, message)   puts the message on its way to a neighbour; never blocks, never
//                                  calls back
//   wire.receive()                 the next message that has come, with `from` and `message`, as an
//                                  optional; from each neighbour in the order of sending
//   wire.misuse(kind, program, access)   see Environment
//   wire.handling(body), wire.found_ways(regions, more)   if it has them: see Environment
//
// Threads: the scheduler's own.
#pragma once

#include <concepts>
#include <memory>
#include <utility>

#include "sched/scheduler.hpp"

namespace myr::sched {

template <class Type>
concept Wire = requires(Type& wire, AgentId next_hop, proto::Message message, Misuse kind,
                        std::uint64_t program, const proto::Access& access) {
  wire.send(next_hop, std::move(message));
  { wire.receive()->from } -> std::convertible_to<AgentId>;
  { std::move(wire.receive()->message) } -> std::convertible_to<proto::Message>;
  wire.misuse(kind, program, access);
};

// What a wire brings.
struct Incoming {
  AgentId from;  // a neighbour
  proto::Message message;
};

template <class WireType>
class Host final : private Environment {
 public:
  // The topology and the wire outlive the host.
  Host(const Topology& topology, AgentId self, const Options& options, WireType& wire,
       std::unique_ptr<Store> store)
      : topology_(topology),
        self_(self),
        wire_(wire),
        store_(std::move(store)),
        scheduler_(topology, self, options, *this, *store_) {
    static_assert(Wire<WireType>);
  }

  // Handles the next message that has come, then one thing that the scheduler has put off. False:
  // there is neither.
  bool serve() {
    auto incoming = wire_.receive();
    if (incoming) scheduler_.receive(incoming->from, std::move(incoming->message));
    return scheduler_.go_on() || incoming;
  }

  [[nodiscard]] AgentId self() const noexcept { return self_; }
  [[nodiscard]] const Scheduler& scheduler() const noexcept { return scheduler_; }

 private:
  void send(proto::Message message) override {
    const AgentId next_hop = topology_.next_hop(self_, message.to);
    wire_.send(next_hop, std::move(message));
  }
  void misuse(Misuse kind, std::uint64_t program, const proto::Access& access) override {
    wire_.misuse(kind, program, access);
  }
  void handling(const proto::Body& message) override {
    if constexpr (requires { wire_.handling(message); }) wire_.handling(message);
  }
  void found_ways(std::uint32_t regions, std::uint32_t more) override {
    if constexpr (requires { wire_.found_ways(regions, more); }) wire_.found_ways(regions, more);
  }

  const Topology& topology_;
  AgentId self_;
  WireType& wire_;
  std::unique_ptr<Store> store_;
  Scheduler scheduler_;
};

}  // namespace myr::sched
