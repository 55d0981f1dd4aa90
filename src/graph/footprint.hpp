// SPDX-License-Identifier: Apache-2.0
//
// Footprint: what a task may hand on to its children, wait for, allocate in and free.
#pragma once

#include "graph/region_space.hpp"
#include "graph/target.hpp"
#include "graph/task.hpp"

namespace myr::graph {

struct Cover {
  bool allowed = false;
  // The highest region around the target that the holder has declared, in any mode; else kNoRegion.
  deps::RegionIndex top = deps::kNoRegion;
  bool is_own = false;  // memory that the holder has made, or found by itself: it declared no byte
};

// May a child of `holder` use `target`? main may use everything. Memory that is not Myrmidon's is
// the holder's own unless it overlaps something declared that is still there (may_be_freed()). By
// the thread that runs the holder.
// Cost: the holder's number of regions, and a search among its ranges.
[[nodiscard]] Cover cover(const RegionSpace& space, Task& holder, const Target& target);

// May `holder` free what lies in `target`? It must hold a region around it for writing, and nothing
// that it has declared by itself may go with it.
[[nodiscard]] bool may_free(const RegionSpace& space, Task& holder, const Target& target);

// What region 0 is to `holder`. A thread that the program started has one of its own, apart from
// main's: its root names it in place of a footprint, and so does each of its tasks that holds it.
// Cost: the holder's number of accesses.
[[nodiscard]] MYR_COLD deps::RegionIndex region_zero_of(const RegionSpace& space, Task& holder);

}  // namespace myr::graph
