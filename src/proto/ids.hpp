// SPDX-License-Identifier: Apache-2.0
//
// What the numbers of tasks and regions tell: who is responsible. So every agent can address a
// message about them, without a directory. Numbers are never used again.
#pragma once

#include <cstdint>

#include "deps/access_path.hpp"
#include "proto/agent.hpp"

namespace myr::proto {

inline constexpr unsigned kAgentBits = 16;
inline constexpr AgentId kAgentsMax = AgentId{1} << kAgentBits;

// home | maker | whether its data must be known where it runs | serial number of the maker
inline constexpr unsigned kTaskSerialBits = 31;
[[nodiscard]] constexpr deps::TaskId make_task_id(AgentId home, AgentId maker, bool needs_data,
                                                  std::uint64_t serial) noexcept {
  return (std::uint64_t{home} << (kTaskSerialBits + 1 + kAgentBits)) |
         (std::uint64_t{maker} << (kTaskSerialBits + 1)) |
         (std::uint64_t{needs_data} << kTaskSerialBits) |
         (serial & ((std::uint64_t{1} << kTaskSerialBits) - 1));
}
// The scheduler that keeps the task's record.
[[nodiscard]] constexpr AgentId home_of(deps::TaskId task) noexcept {
  return static_cast<AgentId>(task >> (kTaskSerialBits + 1 + kAgentBits));
}
// The home of its parent.
[[nodiscard]] constexpr AgentId maker_of(deps::TaskId task) noexcept {
  return static_cast<AgentId>(task >> (kTaskSerialBits + 1)) & (kAgentsMax - 1);
}
[[nodiscard]] constexpr bool needs_data(deps::TaskId task) noexcept {
  return (task >> kTaskSerialBits & 1) != 0;
}

// owner | serial number; the root is number 0 of the top.
inline constexpr unsigned kRegionSerialBits = 40;
[[nodiscard]] constexpr deps::NodeId make_region_id(AgentId owner, std::uint64_t serial) noexcept {
  return deps::NodeId::region((std::uint64_t{owner} << kRegionSerialBits) | serial);
}
[[nodiscard]] constexpr AgentId owner_of_region(deps::NodeId region) noexcept {
  return static_cast<AgentId>(region.value() >> kRegionSerialBits);
}
inline constexpr deps::NodeId kRootRegion = make_region_id(kTop, 0);

}  // namespace myr::proto
