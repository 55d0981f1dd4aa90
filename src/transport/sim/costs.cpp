// SPDX-License-Identifier: Apache-2.0
#include "transport/sim/costs.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

namespace myr::transport::sim {

namespace {

// [assumed] A walk through the region tree, an entry into a queue or out of it, a packing and a
// choice of a child cost one step each; writing down what a message says costs nothing besides
// taking the message.
template <class Message, class... Kinds>
inline constexpr bool kIsOneOf = (std::is_same_v<Message, Kinds> || ...);
template <class Message>
inline constexpr bool kIsOneStep =
    kIsOneOf<Message, proto::Resolve, proto::Adopt, proto::Enter, proto::Arrive, proto::EndedBelow,
             proto::BodyEnded, proto::Done, proto::Pack, proto::NewRegion, proto::Foster,
             proto::Free, proto::Allocate>;

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

std::uint32_t steps_to_handle(const proto::Body& body) {
  // A spawn: finding the ways.
  if (std::holds_alternative<proto::Spawn>(body)) return parts_of(body);
  return std::visit(
      [](const auto& message) -> std::uint32_t {
        return kIsOneStep<std::remove_cvref_t<decltype(message)>> ? 1 : 0;
      },
      body);
}

// A child was chosen for it.
std::uint32_t steps_to_send(const proto::Body& body) {
  const bool is_for_chosen =
      std::holds_alternative<proto::Place>(body) || std::holds_alternative<proto::Execute>(body);
  return is_for_chosen ? 1 : 0;
}

}  // namespace myr::transport::sim
