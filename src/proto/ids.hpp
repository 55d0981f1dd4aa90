// SPDX-License-Identifier: Apache-2.0
//
// What the numbers of tasks and regions tell: who is responsible. So every agent can address a
// message about them, without a directory. Numbers are never used again.
#pragma once

#include <cstdint>

#include "base/contract.hpp"
#include "deps/access_path.hpp"
#include "proto/agent.hpp"

namespace myr::proto {

inline constexpr unsigned kAgentBits = 14;
inline constexpr AgentId kAgentsMax = AgentId{1} << kAgentBits;
// The deepest scheduler has that many above it, at most.
inline constexpr unsigned kDepthBits = 4;
inline constexpr unsigned kDepthMax = (1U << kDepthBits) - 1;

// home | depth of the maker | whether its data must be known where it runs | serial number of the
// maker. The maker is the parent's home, which is the task's home or above it; so its depth names
// it. There are 2^45 numbers: a scheduler that makes a million tasks a second has them for a year.
inline constexpr unsigned kTaskSerialBits = 64 - kAgentBits - kDepthBits - 1;
inline constexpr std::uint64_t kTaskSerialMax = (std::uint64_t{1} << kTaskSerialBits) - 1;
[[nodiscard]] constexpr deps::TaskId make_task_id(AgentId home, unsigned maker_depth,
                                                  bool needs_data, std::uint64_t serial) noexcept {
  MYR_ASSERT(home < kAgentsMax && maker_depth <= kDepthMax && serial <= kTaskSerialMax);
  return (std::uint64_t{home} << (kTaskSerialBits + 1 + kDepthBits)) |
         (std::uint64_t{maker_depth} << (kTaskSerialBits + 1)) |
         (std::uint64_t{needs_data} << kTaskSerialBits) | serial;
}
// Tasks of a step that is replayed are counted from the other end, and have no record.
[[nodiscard]] constexpr deps::TaskId make_replayed_id(AgentId home, unsigned maker_depth,
                                                      std::uint64_t count) noexcept {
  return make_task_id(home, maker_depth, /*needs_data=*/true, kTaskSerialMax - count);
}
[[nodiscard]] constexpr bool is_replayed(deps::TaskId task) noexcept {
  return (task & kTaskSerialMax) > kTaskSerialMax / 2;
}
// The scheduler that keeps the task's record.
[[nodiscard]] constexpr AgentId home_of(deps::TaskId task) noexcept {
  return static_cast<AgentId>(task >> (kTaskSerialBits + 1 + kDepthBits));
}
[[nodiscard]] constexpr bool needs_data(deps::TaskId task) noexcept {
  return (task >> kTaskSerialBits & 1) != 0;
}

// A run of a step that is replayed, and the one before it. No two runs have the same number, of
// whatever steps.
struct StepRuns {
  std::uint64_t present = 0;
  std::uint64_t before = 0;
};
// What a task of it has written has a version of which no table knows: the task's number and that
// of the run. Other versions are smaller. A message that is for all runs says which of the two.
inline constexpr unsigned kStepTaskBits = 16;
inline constexpr std::uint64_t kReplayedVersions = std::uint64_t{1} << 63;
[[nodiscard]] constexpr std::uint64_t replayed_version(std::uint32_t task, bool is_present) {
  return kReplayedVersions | std::uint64_t{is_present} << kStepTaskBits | task;
}
[[nodiscard]] constexpr std::uint64_t version_in_run(std::uint64_t version, const StepRuns& runs) {
  if (version < kReplayedVersions) return version;
  constexpr std::uint64_t kPresent = std::uint64_t{1} << kStepTaskBits;
  const std::uint64_t run = (version & kPresent) != 0 ? runs.present : runs.before;
  return (version & ~kPresent) | run << kStepTaskBits;
}

// The task that nobody spawned: it holds the root region and runs on the first worker from the
// start.
inline constexpr deps::TaskId kMain = make_task_id(kTop, 0, false, 0);

// owner | serial number; the root is number 0 of the top. See sched::Store::new_serial().
inline constexpr unsigned kRegionSerialBits = 49;
[[nodiscard]] constexpr deps::NodeId make_region_id(AgentId owner, std::uint64_t serial) noexcept {
  return deps::NodeId::region((std::uint64_t{owner} << kRegionSerialBits) | serial);
}
[[nodiscard]] constexpr AgentId owner_of_region(deps::NodeId region) noexcept {
  return static_cast<AgentId>(region.value() >> kRegionSerialBits);
}
inline constexpr deps::NodeId kRootRegion = make_region_id(kTop, 0);

}  // namespace myr::proto
