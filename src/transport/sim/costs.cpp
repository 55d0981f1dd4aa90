// SPDX-License-Identifier: Apache-2.0
#include "transport/sim/costs.hpp"

#include <algorithm>
#include <variant>

namespace myr::transport::sim {

namespace {

using proto::Effort;

Effort effort_of(const proto::Body& body) {
  return std::visit([](const auto& message) { return message.kEffort; }, body);
}

// Of a message that tells of a task.
std::uint32_t access_count_of(const proto::Body& body) {
  return std::visit(
      [](const auto& message) -> std::uint32_t {
        if constexpr (requires { message.task->accesses; }) return message.task->accesses.size();
        if constexpr (requires { message.accesses; }) return message.accesses;
        return 0;
      },
      body);
}

// Does its scheduler write down where the task runs?
bool is_noted(const proto::Body& body) {
  const auto* execute = std::get_if<proto::Execute>(&body);
  return execute != nullptr && execute->work.place.step != 0;
}

// Of a message that tells of recorded tasks.
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
    case Effort::StepEach:
      return 100 * std::max(access_count_of(body), 1U);
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
