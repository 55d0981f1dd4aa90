// SPDX-License-Identifier: Apache-2.0
//
// Packets: what is under way between neighbours of a simulated tree. All messages to the same
// neighbour that an agent sends while it handles one packet travel as one, in their order: a task
// with many arguments takes no more packets than one with a single argument.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "base/small_vector.hpp"
#include "proto/messages.hpp"

namespace myr::cluster::sim {

struct Packet {
  struct Item {
    proto::AgentId origin = 0;  // who sent it first
    std::uint32_t parts = 1;    // arguments or ranges that it is about
    proto::Message message;
  };
  proto::AgentId from = 0;
  base::SmallVector<Item, 1> items;

  // [assumed] Each message behind the first one takes one part more, to say what it is.
  [[nodiscard]] std::uint32_t parts() const {
    auto parts = static_cast<std::uint32_t>(items.size() - 1);
    for (const Item& item : items) parts += item.parts;
    return parts;
  }
};

// By number; numbers are used again.
class Packets {
 public:
  std::uint64_t put(Packet packet) {
    if (unused_.empty()) {
      packets_.push_back(std::move(packet));
      return packets_.size() - 1;
    }
    const std::uint64_t number = unused_.back();
    unused_.pop_back();
    packets_[number] = std::move(packet);
    return number;
  }
  Packet take(std::uint64_t number) {
    unused_.push_back(number);
    return std::move(packets_[number]);
  }

 private:
  std::deque<Packet> packets_;
  std::vector<std::uint64_t> unused_;
};

}  // namespace myr::cluster::sim
