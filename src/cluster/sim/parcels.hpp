// SPDX-License-Identifier: Apache-2.0
//
// Parcels: what is under way between neighbours of a simulated tree. All messages to the same
// neighbour that an agent sends while it handles one parcel travel as one, in their order: a task
// with many arguments takes no more parcels than one with a single argument.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "base/small_vector.hpp"
#include "proto/messages.hpp"

namespace myr::cluster::sim {

struct Parcel {
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
class Parcels {
 public:
  std::uint64_t put(Parcel parcel) {
    if (unused_.empty()) {
      parcels_.push_back(std::move(parcel));
      return parcels_.size() - 1;
    }
    const std::uint64_t number = unused_.back();
    unused_.pop_back();
    parcels_[number] = std::move(parcel);
    return number;
  }
  Parcel take(std::uint64_t number) {
    unused_.push_back(number);
    return std::move(parcels_[number]);
  }

 private:
  std::deque<Parcel> parcels_;
  std::vector<std::uint64_t> unused_;
};

}  // namespace myr::cluster::sim
