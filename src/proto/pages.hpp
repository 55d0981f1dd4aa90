// SPDX-License-Identifier: Apache-2.0
//
// Pages: the unit in which schedulers trade addresses.
#pragma once

#include <cstdint>

namespace myr::proto {

inline constexpr unsigned kPageShift = 20;
inline constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageShift;

// Pages side by side; the number of a page is its address / kPageBytes.
struct PageRun {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  [[nodiscard]] std::uint64_t end() const noexcept { return first + count; }
  friend bool operator==(const PageRun&, const PageRun&) = default;
};

// `times` runs of `run` pages side by side each.
struct PageNeed {
  std::uint64_t run = 1;
  std::uint64_t times = 1;
};

}  // namespace myr::proto
