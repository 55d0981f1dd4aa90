// SPDX-License-Identifier: Apache-2.0
//
// Declared: the accesses of a task that declared many, sorted by address, so that a child of it is
// not compared with each of them: a tile is an access a row.
//
// Threads: the one that runs the task.
#pragma once

#include <cstdint>
#include <vector>

#include "myr/myr.h"

namespace myr::graph {

// What a container held when the task was spawned: one that may change the container may have freed
// it since, and other memory may have begun there, perhaps with a part of it.
[[nodiscard]] inline bool may_be_freed(const myr_access& access) noexcept {
  return (access.flags & MYR_HELD) != 0 && (access.flags & MYR_OUT) != 0;
}

class Declared {
 public:
  // REQUIRES: resolved, so that each has its length.
  void fill(const myr_access* accesses, std::uint32_t count);
  void clear() noexcept;
  [[nodiscard]] bool empty() const noexcept { return ranges_.empty() && regions_.empty(); }

  // The furthest ends of the ranges that begin at `address` or before; 0: there are none.
  struct Reach {
    std::uint64_t any = 0;
    std::uint64_t writable = 0;
    std::uint64_t kept = 0;  // of those that cannot be freed
  };
  [[nodiscard]] Reach reach(std::uint64_t address) const noexcept;
  [[nodiscard]] const std::vector<myr_access>& regions() const noexcept { return regions_; }

 private:
  struct Range {
    std::uint64_t begin;
    Reach reach;  // of it and those before it
  };
  std::vector<Range> ranges_;  // ascending
  std::vector<myr_access> regions_;
};

}  // namespace myr::graph
