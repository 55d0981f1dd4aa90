// SPDX-License-Identifier: Apache-2.0
#include "transport/sim/costs.hpp"

#include <variant>

#include "proto/sizes.hpp"

namespace myr::transport::sim {

namespace {

using proto::Effort;

Effort effort_of(const proto::Body& body) {
  return std::visit([](const auto& message) { return message.kEffort; }, body);
}

}  // namespace

std::uint32_t steps_to_handle(const proto::Body& body) {
  const Effort effort = effort_of(body);
  if (effort == Effort::StepEach) return proto::parts_of(body);
  return effort == Effort::Step ? 1 : 0;
}

std::uint32_t steps_to_send(const proto::Body& body) {
  return effort_of(body) == Effort::Choice ? 1 : 0;
}

}  // namespace myr::transport::sim
