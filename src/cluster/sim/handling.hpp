// SPDX-License-Identifier: Apache-2.0
//
// What one message costs the scheduler that handles it, from what can be seen from outside: the
// message, and what the scheduler sends because of it. A scheduler that is responsible for the next
// step, too, takes it at once and sends nothing, so steps that were not sent are counted here.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "transport/sim/costs.hpp"

namespace myr::cluster::sim {

class Handling {
 public:
  // `parts`: the accesses or ranges that the message is about.
  Handling(transport::sim::Kind kind, std::uint32_t parts) : kind_(kind), parts_(parts) {}

  void sent(transport::sim::Kind kind) { sent_[kind] += 1; }

  // Steps of analysis and placement.
  [[nodiscard]] std::uint64_t steps() const {
    std::uint64_t steps = steps_for(kind_, 1, parts_);
    if (is<proto::Spawn>()) {
      steps += unsent<proto::Adopt>(1) + unsent<proto::Enter>(parts_);
    } else if (is<proto::BodyEnded>()) {
      steps += unsent<proto::Done>(parts_);
    }
    // Each was sent to a child that had to be chosen.
    return steps + sent_[transport::sim::kind_of<proto::Execute>()] +
           sent_[transport::sim::kind_of<proto::Place>()];
  }

 private:
  template <class Message>
  [[nodiscard]] bool is() const {
    return kind_ == transport::sim::kind_of<Message>();
  }
  static std::uint64_t steps_for(transport::sim::Kind kind, std::uint64_t messages,
                                 std::uint64_t parts) {
    const transport::sim::Steps steps = transport::sim::steps_of(kind);
    return messages * steps.per_message + parts * steps.per_part;
  }
  template <class Message>
  [[nodiscard]] std::uint64_t unsent(std::uint32_t expected) const {
    constexpr auto kKind = transport::sim::kind_of<Message>();
    return steps_for(kKind, expected - std::min<std::uint32_t>(expected, sent_[kKind]), 0);
  }

  transport::sim::Kind kind_;
  std::uint32_t parts_;
  std::array<std::uint16_t, transport::sim::kKinds> sent_{};
};

}  // namespace myr::cluster::sim
