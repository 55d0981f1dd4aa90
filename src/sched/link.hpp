// SPDX-License-Identifier: Apache-2.0
//
// Link: how the parts of one scheduler speak, to other agents and to each other. A message to the
// scheduler itself waits until the present one has been handled; so no handler runs inside another.
// One that is put off waits until a message from elsewhere has had its turn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/ring.hpp"
#include "sched/environment.hpp"
#include "sched/topology.hpp"

namespace myr::sched {

class Link {
 public:
  Link(const Topology& topology, AgentId self, Environment& environment) noexcept
      : topology_(topology), self_(self), environment_(environment) {}

  template <class Type>
  void send(AgentId to, Type&& message) {
    if (to == self_) {
      own_.emplace_back(std::forward<Type>(message));
    } else {
      environment_.send({.to = to, .body = std::forward<Type>(message)});
    }
  }
  template <class Type>
  void put_off(Type&& message) {
    later_.push_back(std::forward<Type>(message));
  }
  [[nodiscard]] bool has_put_off() const noexcept { return !later_.empty(); }
  // The first that was put off. REQUIRES: has_put_off().
  [[nodiscard]] proto::Body take_put_off() {
    proto::Body body = std::move(later_.front());
    later_.pop_front();
    return body;
  }
  // Hands over what the scheduler has sent to itself, in order, and what it sends meanwhile.
  template <class Handle>
  void deliver_own(Handle&& handle) {
    while (!own_.empty()) {
      own_.swap(delivering_);
      for (proto::Body& body : delivering_) handle(body);
      delivering_.clear();
    }
  }

  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] AgentId self() const noexcept { return self_; }
  [[nodiscard]] Environment& environment() const noexcept { return environment_; }

 private:
  const Topology& topology_;
  AgentId self_;
  Environment& environment_;
  std::vector<proto::Body> own_;
  base::Ring<proto::Body> later_;
  std::vector<proto::Body> delivering_;  // empty but in deliver_own(); keeps its memory
};

// The group that one more goes along with, among the last few of them; none: it begins another one.
// So making groups of many never compares each with all.
template <class Group, class GoesAlong>
[[nodiscard]] Group* find_group(std::vector<Group>& groups, GoesAlong&& goes_along) {
  constexpr std::ptrdiff_t kCompared = 4;
  const auto size = static_cast<std::ptrdiff_t>(groups.size());
  const auto end = groups.rbegin() + std::min(size, kCompared);
  const auto found = std::find_if(groups.rbegin(), end, goes_along);
  return found == end ? nullptr : &*found;
}

// Nodes that go to their owners, those beside each other of one owner together.
template <class Send>
class NodesToOwners {
 public:
  explicit NodesToOwners(Send send) : send_(std::move(send)) {}
  void add(AgentId owner, proto::NodeId node) {
    if (owner != owner_) flush();
    owner_ = owner;
    nodes_.push_back(node);
  }
  // Calls `send(owner, nodes)` with those that are left.
  void flush() {
    if (!nodes_.empty()) send_(owner_, std::move(nodes_));
    nodes_.clear();
  }

 private:
  Send send_;
  AgentId owner_ = proto::kNoAgent;
  proto::Nodes nodes_;
};

}  // namespace myr::sched
