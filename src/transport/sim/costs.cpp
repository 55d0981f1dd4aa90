// SPDX-License-Identifier: Apache-2.0
#include "transport/sim/costs.hpp"

#include <variant>

namespace myr::transport::sim {

namespace {

using proto::Effort;

Effort effort_of(const proto::Body& body) {
  return std::visit([](const auto& message) { return message.kEffort; }, body);
}

// How many accesses a message tells of that is about a part of a loop, or recorded tasks.
std::uint32_t access_count_of(const proto::Body& body) {
  return std::visit(
      [](const auto& message) -> std::uint32_t {
        if constexpr (requires { message.accesses; }) return message.accesses;
        return 0;
      },
      body);
}

// Nodes that the message tells of beside the first one.
std::uint32_t further_nodes_of(const proto::Body& body) {
  const std::size_t count = std::visit(
      [](const auto& message) -> std::size_t {
        if constexpr (requires { message.ways; }) return message.ways.count;
        if constexpr (requires { message.sought; }) return message.sought.size();
        if constexpr (requires { message.nodes; }) return message.nodes.size();
        return 1;
      },
      body);
  return static_cast<std::uint32_t>(count - 1);
}

// Do its accesses reach their targets at the owner of the first node on their ways?
bool reaches_targets(const proto::Body& body) {
  return std::visit(
      [](const auto& message) {
        if constexpr (requires { message.ways; }) {
          const deps::Ways& ways = message.ways;
          if (ways.ends_here()) return true;
          const proto::NodeId last = *(ways.targets().begin() - 1);
          return proto::owner_of_region(last) == proto::owner_of_region(ways.first());
        }
        return false;
      },
      body);
}

// Does its scheduler write down where the task runs?
bool is_noted(const proto::Body& body) {
  const auto* execute = std::get_if<proto::Execute>(&body);
  return execute != nullptr && execute->work.place.step != 0;
}

// How many recorded tasks a message tells of.
std::uint32_t task_count_of(const proto::Body& body) {
  return std::visit(
      [](const auto& message) -> std::uint32_t {
        if constexpr (requires { message.links; }) return message.tasks.size();
        if constexpr (requires { message.tasks + 1U; }) return message.tasks;
        return 0;
      },
      body);
}

}  // namespace

std::uint32_t steps_to_handle(const proto::Body& body) {
  switch (effort_of(body)) {
    case Effort::None:
    case Effort::Choice:
    case Effort::ReplayBegin:
      return 0;
    case Effort::Step:
      return 100;
    case Effort::Ask:
      return 100 + further_nodes_of(body) * kShares.one_more_asked;
    case Effort::Reach:
      return 100 + (reaches_targets(body) ? further_nodes_of(body) : 0) * kShares.one_more_reached;
    case Effort::Leave:
      return 100 + further_nodes_of(body) * kShares.one_more_left;
    case Effort::Part:
      return kShares.enter_part + access_count_of(body) * kShares.enter_part_access;
    case Effort::PartEnd:
      return kShares.leave_part + access_count_of(body) * kShares.leave_part_access;
    case Effort::Record:
      return kShares.put_off + access_count_of(body) * kShares.record_access;
    case Effort::Share:
      return kShares.put_off + task_count_of(body) * kShares.share_task;
    case Effort::Keep:
      return task_count_of(body) * kShares.keep_task;
    case Effort::ReplayEnd:
      return kShares.replay_end;
  }
  return 0;
}

std::uint32_t steps_to_find_ways(std::uint32_t regions, std::uint32_t more) {
  return 100 * regions + more * kShares.one_more_way;
}

std::uint32_t steps_to_send(const proto::Body& body) {
  switch (effort_of(body)) {
    case Effort::Choice:
      return 100 + (is_noted(body) ? kShares.note_task : 0);
    case Effort::ReplayBegin:
      return kShares.replay_begin;
    default:
      return 0;
  }
}

}  // namespace myr::transport::sim
