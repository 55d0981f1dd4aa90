// SPDX-License-Identifier: Apache-2.0
#include "graph/region_space.hpp"

#include "plat/memory.hpp"

namespace myr::graph {

base::Result<RegionSpace*> RegionSpace::create() {
  base::Result<mem::Heap*> heap = mem::Heap::create();
  if (!heap) return heap.error();
  void* nodes = plat::map_lazily(kRegionsMax * sizeof(deps::RegionNode));
  void* pools = plat::map_lazily(kRegionsMax * sizeof(mem::Pool*));
  mem::Pool* root = (*heap)->pool_new(deps::kRootRegion);
  if (nodes == nullptr || pools == nullptr || root == nullptr) {
    return base::Error{
        "no memory for the table of regions: the system refused 1 GiB of address space; raise the "
        "limit (ulimit -v)"};
  }
  static_cast<mem::Pool**>(pools)[deps::kRootRegion] = root;
  // There as long as the heap, when no machine runs any more: a leak checker is to find it. Volatile,
  // for nobody reads it.
  static RegionSpace* volatile only = nullptr;
  only = new RegionSpace(static_cast<deps::RegionNode*>(nodes), static_cast<mem::Pool**>(pools));
  return only;
}

deps::RegionIndex RegionSpace::create_region(deps::RegionIndex parent) {
  deps::RegionIndex index;
  {
    const std::scoped_lock lock(indices_);
    index = tree_.allocate_index();
  }
  if (index == deps::kNoRegion) return index;
  pools_[index] = mem::Heap::instance().pool_new(index);
  if (pools_[index] == nullptr) {
    const std::scoped_lock lock(indices_);
    tree_.release_index(index);
    return deps::kNoRegion;
  }
  tree_.insert(index, parent);
  return index;
}

void RegionSpace::destroy_region(deps::RegionIndex region) {
  while (tree_.first_child(region) != deps::kNoRegion) destroy_region(tree_.first_child(region));
  mem::Heap::instance().pool_free(pools_[region]);
  tree_.erase(region);
  const std::scoped_lock lock(indices_);
  tree_.release_index(region);
}

}  // namespace myr::graph
