// SPDX-License-Identifier: Apache-2.0
//
// A tree of regions without memory, for tests of what only looks at its shape.
#pragma once

#include <vector>

#include "deps/region_tree.hpp"

namespace myr::graph {

class TestRegions {
 public:
  explicit TestRegions(deps::RegionIndex count_max = 64)
      : nodes_(count_max), tree_(nodes_.data(), count_max) {}

  [[nodiscard]] const deps::RegionTree& tree() const noexcept { return tree_; }

  [[nodiscard]] deps::RegionIndex create(deps::RegionIndex parent = deps::kRootRegion) {
    const deps::RegionIndex index = tree_.allocate_index();
    tree_.insert(index, parent);
    return index;
  }
  void destroy(deps::RegionIndex region) {
    while (tree_.first_child(region) != deps::kNoRegion) destroy(tree_.first_child(region));
    tree_.erase(region);
    tree_.release_index(region);
  }

 private:
  std::vector<deps::RegionNode> nodes_;
  deps::RegionTree tree_;
};

}  // namespace myr::graph
