// SPDX-License-Identifier: Apache-2.0
//
// All live regions of the process: their tree and their pools. One a process.
//
// Threads: create() and destroy() by the task that holds the parent for writing; look-ups by any
// task that holds the region. The lock is for index allocation only.
#pragma once

#include <mutex>

#include "base/result.hpp"
#include "deps/region_tree.hpp"
#include "mem/heap.hpp"

namespace myr::graph {

class RegionSpace {
 public:
  // Limit: live regions at a time.
  static constexpr deps::RegionIndex kRegionsMax = 1U << 25;

  static base::Result<RegionSpace*> create();

  // A new region in a live one, or kNoRegion when memory or indices are used up.
  [[nodiscard]] deps::RegionIndex create_region(deps::RegionIndex parent);
  // Frees a region, its objects and all regions inside. Cost: the number of those regions.
  void destroy_region(deps::RegionIndex region);

  [[nodiscard]] mem::Pool& pool(deps::RegionIndex region) const noexcept { return *pools_[region]; }
  [[nodiscard]] const deps::RegionTree& tree() const noexcept { return tree_; }

 private:
  RegionSpace(deps::RegionNode* nodes, mem::Pool** pools) noexcept
      : tree_(nodes, kRegionsMax), pools_(pools) {}

  deps::RegionTree tree_;
  // By region index; written by create_region() before the id is known to others.
  mem::Pool** pools_;
  std::mutex indices_;
};

}  // namespace myr::graph
