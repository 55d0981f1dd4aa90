// SPDX-License-Identifier: Apache-2.0
//
// TaskRef: names one task for ever. Task memory is reused but never unmapped (see TaskArena), and
// every reuse raises the generation, so a reference to a task that is complete can always be told
// from one to its successor in the same memory.
//
//   63            30 29             0
//   +---------------+---------------+
//   |  generation   |    granule    |   granule: 16-byte unit of the task arena; a multiple of 4
//   for tasks
//   +---------------+---------------+
#pragma once

#include <cstdint>

namespace myr::graph {

inline constexpr unsigned kGranuleBits = 30;
inline constexpr std::uint64_t kGranuleMask = (std::uint64_t{1} << kGranuleBits) - 1;
inline constexpr std::uint64_t kGranuleBytes = 16;

using Granule = std::uint32_t;

struct TaskRef {
  std::uint64_t bits = 0;  // 0: no task

  [[nodiscard]] static constexpr TaskRef make(std::uint64_t generation, Granule granule) noexcept {
    return {(generation << kGranuleBits) | granule};
  }
  [[nodiscard]] constexpr std::uint64_t generation() const noexcept { return bits >> kGranuleBits; }
  [[nodiscard]] constexpr Granule granule() const noexcept {
    return static_cast<Granule>(bits & kGranuleMask);
  }
  constexpr explicit operator bool() const noexcept { return bits != 0; }
  friend constexpr bool operator==(TaskRef, TaskRef) noexcept = default;
};

}  // namespace myr::graph
