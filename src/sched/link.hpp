// SPDX-License-Identifier: Apache-2.0
//
// Link: how the parts of one scheduler speak, to other agents and to each other. A message to the
// scheduler itself waits until the present one has been handled; so no handler runs inside another.
#pragma once

#include <deque>
#include <optional>
#include <utility>

#include "sched/surroundings.hpp"
#include "sched/topology.hpp"

namespace myr::sched {

class Link {
 public:
  Link(const Topology& topology, AgentId self, Surroundings& surroundings) noexcept
      : topology_(topology), self_(self), surroundings_(surroundings) {}

  void send(AgentId to, proto::Body body) {
    if (to == self_) {
      own_.push_back(std::move(body));
    } else {
      surroundings_.send({.to = to, .body = std::move(body)});
    }
  }
  [[nodiscard]] std::optional<proto::Body> next_own() {
    if (own_.empty()) return {};
    proto::Body body = std::move(own_.front());
    own_.pop_front();
    return body;
  }

  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] AgentId self() const noexcept { return self_; }
  [[nodiscard]] Surroundings& surroundings() const noexcept { return surroundings_; }

 private:
  const Topology& topology_;
  AgentId self_;
  Surroundings& surroundings_;
  std::deque<proto::Body> own_;
};

}  // namespace myr::sched
