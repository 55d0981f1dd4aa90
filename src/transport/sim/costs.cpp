// SPDX-License-Identifier: Apache-2.0
#include "transport/sim/costs.hpp"

#include <algorithm>
#include <array>

namespace myr::transport::sim {

namespace {

using Table = std::array<Steps, kKinds>;

// [assumed] A walk through the region tree, an entry into a queue or out of it, a packing and a
// choice of a child cost one step each; writing down what a message says costs nothing besides
// taking the message.
constexpr Table make_table() {
  Table table{};
  table[kind_of<proto::Spawn>()] = {.per_part = 1};  // finds the way
  table[kind_of<proto::Resolve>()] = {.per_message = 1};
  table[kind_of<proto::Adopt>()] = {.per_message = 1};
  table[kind_of<proto::Enter>()] = {.per_message = 1};
  table[kind_of<proto::Arrive>()] = {.per_message = 1};
  table[kind_of<proto::EndedBelow>()] = {.per_message = 1};
  table[kind_of<proto::BodyEnded>()] = {.per_message = 1};
  table[kind_of<proto::Done>()] = {.per_message = 1};
  table[kind_of<proto::Pack>()] = {.per_message = 1};
  table[kind_of<proto::NewRegion>()] = {.per_message = 1};
  table[kind_of<proto::Foster>()] = {.per_message = 1};
  table[kind_of<proto::Free>()] = {.per_message = 1};
  table[kind_of<proto::Allocate>()] = {.per_message = 1};
  return table;
}
constexpr Table kSteps = make_table();

template <class Range>
std::uint32_t count(const Range& range) {
  return std::max<std::uint32_t>(static_cast<std::uint32_t>(range.size()), 1);
}

}  // namespace

std::uint32_t parts_of(const proto::Body& body) {
  return std::visit(
      [](const auto& message) -> std::uint32_t {
        if constexpr (requires { message.task->accesses; }) {
          return count(message.task->accesses);
        } else if constexpr (requires { message.work.pieces; }) {
          return count(message.work.pieces);
        } else if constexpr (requires { message.pieces; }) {
          return count(message.pieces);
        } else if constexpr (requires { message.runs; }) {
          return count(message.runs);
        } else if constexpr (requires { message.addresses; }) {
          return count(message.addresses);
        } else if constexpr (requires { message.path; }) {
          return count(message.path);
        } else {
          return 1;
        }
      },
      body);
}

Steps steps_of(Kind kind) { return kSteps[kind]; }

}  // namespace myr::transport::sim
