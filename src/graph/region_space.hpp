// SPDX-License-Identifier: Apache-2.0
//
// All live regions of the process: their tree and their pools. One at a time.
//
// Threads: create() and destroy() by the task that holds the parent for writing; look-ups by any
// task that holds the region. The lock is for what
// regions of different holders share: indices, and the list of the root's children.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/result.hpp"
#include "deps/region_tree.hpp"
#include "mem/heap.hpp"

namespace myr::graph {

class RegionSpace {
 public:
  // Limit: live regions at a time.
  static constexpr deps::RegionIndex kRegionsMax = 1U << 25;

  // Creates the heap, too, which stays when the space ends.
  static base::Result<std::unique_ptr<RegionSpace>> create();
  ~RegionSpace();
  RegionSpace(const RegionSpace&) = delete;
  RegionSpace& operator=(const RegionSpace&) = delete;

  // For machines of agents, where each owner of regions has the pools: only which lies in which.
  // `part` of `parts` of the indices, where the owners are in different processes; of 0: it has
  // none of its own.
  static base::Result<std::unique_ptr<RegionSpace>> create_for_agents(unsigned part = 0,
                                                                      unsigned parts = 1);

  // A new region in a live one, or kNoRegion when memory or indices are used up.
  [[nodiscard]] deps::RegionIndex create_region(deps::RegionIndex parent);
  // The same in the root, without a look at what else is there; it is never freed. Any thread.
  [[nodiscard]] deps::RegionIndex create_apart();
  // Frees a region, its objects and all regions inside. Cost: the number of those regions.
  void destroy_region(deps::RegionIndex region);

  // For agents: a region that `owner` makes in a live one; kNoRegion: indices are used up.
  // Any thread.
  [[nodiscard]] deps::RegionIndex add_owned(deps::RegionIndex parent, std::uint32_t owner);
  // `count` indices, or those that are left, for a process whose tasks make regions for this one.
  [[nodiscard]] std::vector<std::uint64_t> lend_indices(std::uint64_t count);
  void borrow_indices(const std::vector<std::uint64_t>& lent);
  // By the owner: it is gone.
  void remove_owned(deps::RegionIndex region);
  // A region of an owner in another process, in one that is known: so it is found here, too.
  void add_known(myr_region region, myr_region parent) noexcept { tree_.know(region, parent); }
  // Called by a task that holds what is around it: nobody finds it any more, though its owner has
  // not removed it yet.
  void bury(deps::RegionIndex region) noexcept { tree_.bury(region); }

  [[nodiscard]] mem::Pool& pool(deps::RegionIndex region) const noexcept { return *pools_[region]; }
  [[nodiscard]] const deps::RegionTree& tree() const noexcept { return tree_; }

 private:
  static constexpr deps::RegionIndex kUsableStep = 1U << 16;

  RegionSpace(deps::RegionNode* nodes, mem::Pool** pools, deps::RegionIndex usable,
              deps::RegionIndex first = 0, deps::RegionIndex end = kRegionsMax) noexcept
      : nodes_(nodes), tree_(nodes, kRegionsMax, first, end), pools_(pools), usable_(usable) {}

  // Makes nodes and pools up to this index writable. False: the system refuses.
  [[nodiscard]] static bool make_usable(deps::RegionNode* nodes, mem::Pool** pools,
                                        deps::RegionIndex end);
  [[nodiscard]] deps::RegionIndex allocate_index_locked();
  [[nodiscard]] deps::RegionIndex open_region();
  void destroy_leaf(deps::RegionIndex region);

  deps::RegionNode* nodes_;
  deps::RegionTree tree_;
  // By region index; written by create_region() before the id is known to others.
  mem::Pool** pools_;
  deps::RegionIndex usable_;  // nodes and pools before this can be written; all can be read
  std::mutex indices_;
};

}  // namespace myr::graph
