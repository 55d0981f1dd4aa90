// SPDX-License-Identifier: Apache-2.0
//
// Wires: all channels of a tree machine on threads, and each agent's port to its own. The agents
// share nothing else that changes. See docs/design/transport.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "proto/messages.hpp"
#include "proto/sizes.hpp"
#include "transport/threads/port.hpp"

namespace myr::transport::threads {

// From an agent to a neighbour.
using Edge = std::pair<AgentId, AgentId>;

// Built by one thread, before those of the agents start; destroyed after they have ended, with what
// has not been received.
template <class Wire>
class BasicWires {
 public:
  using Port = BasicPort<Wire>;

  // REQUIRES: no edge twice. `spin_rounds`: see Port.
  BasicWires(AgentId agent_count, const std::vector<Edge>& edges, unsigned spin_rounds) {
    ports_.reserve(agent_count);
    for (AgentId agent = 0; agent < agent_count; ++agent) {
      ports_.push_back(std::make_unique<Port>(spin_rounds));
    }
    channels_.reserve(edges.size());
    for (const auto& [from, to] : edges) {
      channels_.push_back(std::make_unique<typename Port::Link>());
      port(from).add_outgoing(to, *channels_.back(), port(to));
      port(to).add_incoming(from, *channels_.back(), port(from));
    }
  }

  [[nodiscard]] Port& port(AgentId agent) {
    MYR_ASSERT(agent < ports_.size());
    return *ports_[agent];
  }

 private:
  std::vector<std::unique_ptr<typename Port::Link>> channels_;
  std::vector<std::unique_ptr<Port>> ports_;
};

struct TreeWire {
  using Message = proto::Message;
  static constexpr std::uint32_t kCapacity = 256;
  [[nodiscard]] static std::uint64_t bytes_of(const Message& message) {
    return proto::bytes_of(message);
  }
};
using Port = BasicPort<TreeWire>;
using Incoming = Port::Incoming;

class Wires : public BasicWires<TreeWire> {
 public:
  // Agents that find nothing to do spin for a while only if each can have a processor of those that
  // the calling thread may run on.
  Wires(AgentId agent_count, const std::vector<Edge>& edges);
};

}  // namespace myr::transport::threads
