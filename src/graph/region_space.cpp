// SPDX-License-Identifier: Apache-2.0
#include "graph/region_space.hpp"

#include <algorithm>

#include "plat/memory.hpp"
#include "sync/cancelled_regions.hpp"

namespace myr::graph {

namespace {
constexpr const char* kNoTable =
    "no memory for the table of regions: the system refused 1 GiB of address space; raise the "
    "limit "
    "(ulimit -v)";
}

base::Result<std::unique_ptr<RegionSpace>> RegionSpace::create() {
  base::Result<mem::Heap*> heap = mem::Heap::create();
  if (!heap) return heap.error();
  auto* nodes =
      static_cast<deps::RegionNode*>(plat::map_zeros(kRegionsMax * sizeof(deps::RegionNode)));
  auto* pools = static_cast<mem::Pool**>(plat::map_zeros(kRegionsMax * sizeof(mem::Pool*)));
  mem::Pool* root = (*heap)->pool_new(deps::kRootRegion);
  if (nodes == nullptr || pools == nullptr || root == nullptr ||
      !make_usable(nodes, pools, kUsableStep)) {
    return base::Error{kNoTable};
  }
  pools[deps::kRootRegion] = root;
  return std::unique_ptr<RegionSpace>(new RegionSpace(nodes, pools, kUsableStep));
}

base::Result<std::unique_ptr<RegionSpace>> RegionSpace::create_for_agents(unsigned part,
                                                                          unsigned parts) {
  constexpr std::size_t kBytes = kRegionsMax * sizeof(deps::RegionNode);
  // Where other processes make regions, too, their indices come in any order.
  const bool is_one_process = part == 0 && parts == 1;
  auto* nodes = static_cast<deps::RegionNode*>(is_one_process ? plat::map_zeros(kBytes)
                                                              : plat::map_lazily(kBytes));
  if (nodes == nullptr || (is_one_process && !make_usable(nodes, nullptr, kUsableStep))) {
    return base::Error{kNoTable};
  }
  const deps::RegionIndex share = parts == 0 ? 0 : kRegionsMax / parts;
  const deps::RegionIndex first = parts == 0 ? kRegionsMax : part * share;
  return std::unique_ptr<RegionSpace>(new RegionSpace(
      nodes, nullptr, is_one_process ? kUsableStep : kRegionsMax, first, first + share));
}

bool RegionSpace::make_usable(deps::RegionNode* nodes, mem::Pool** pools, deps::RegionIndex end) {
  if (!plat::commit(reinterpret_cast<std::uintptr_t>(nodes), end * sizeof(deps::RegionNode))) {
    return false;
  }
  return pools == nullptr ||
         plat::commit(reinterpret_cast<std::uintptr_t>(pools), end * sizeof(mem::Pool*));
}

deps::RegionIndex RegionSpace::allocate_index_locked() {
  if (tree_.untouched() >= usable_) {
    const deps::RegionIndex end = std::min(usable_ + kUsableStep, kRegionsMax);
    if (!make_usable(nodes_, pools_, end)) return deps::kNoRegion;
    usable_ = end;
  }
  return tree_.allocate_index();
}

RegionSpace::~RegionSpace() {
  plat::release(reinterpret_cast<std::uintptr_t>(nodes_), kRegionsMax * sizeof(deps::RegionNode));
  if (pools_ == nullptr) return;
  plat::release(reinterpret_cast<std::uintptr_t>(pools_), kRegionsMax * sizeof(mem::Pool*));
}

deps::RegionIndex RegionSpace::create_region(deps::RegionIndex parent) {
  const std::scoped_lock lock(indices_);
  const deps::RegionIndex index = open_region();
  if (index != deps::kNoRegion) tree_.insert(index, parent);
  return index;
}

deps::RegionIndex RegionSpace::create_apart() {
  const std::scoped_lock lock(indices_);
  const deps::RegionIndex index = open_region();
  if (index != deps::kNoRegion) tree_.insert_apart(index);
  return index;
}

// With a pool, and no place in the tree yet.
deps::RegionIndex RegionSpace::open_region() {
  const deps::RegionIndex index = allocate_index_locked();
  if (index == deps::kNoRegion) return index;
  pools_[index] = mem::Heap::instance().pool_new(index);
  if (pools_[index] != nullptr) return index;
  tree_.release_index(index);
  return deps::kNoRegion;
}

// The innermost regions first, by a loop: regions may lie inside each other more deeply than a
// stack has room for.
void RegionSpace::destroy_region(deps::RegionIndex region) {
  deps::RegionIndex current = region;
  for (;;) {
    while (tree_.first_child(current) != deps::kNoRegion) current = tree_.first_child(current);
    const deps::RegionIndex above = tree_.parent(current);
    destroy_leaf(current);
    if (current == region) return;
    current = above;
  }
}

void RegionSpace::destroy_leaf(deps::RegionIndex region) {
  mem::Heap::instance().pool_free(pools_[region]);
  const myr_region id = tree_.id_of(region);
  {
    const std::scoped_lock lock(indices_);
    tree_.erase(region);
    tree_.release_index(region);
  }
  sync::CancelledRegions::remove(id);
}

deps::RegionIndex RegionSpace::add_owned(deps::RegionIndex parent, std::uint32_t owner) {
  const std::scoped_lock lock(indices_);
  const deps::RegionIndex index = allocate_index_locked();
  if (index != deps::kNoRegion) tree_.insert_owned(index, parent, owner);
  return index;
}

std::vector<std::uint64_t> RegionSpace::lend_indices(std::uint64_t count) {
  const std::scoped_lock lock(indices_);
  std::vector<std::uint64_t> lent;
  while (lent.size() < count) {
    const deps::RegionIndex index = allocate_index_locked();
    if (index == deps::kNoRegion) break;
    lent.push_back(tree_.lend(index));
  }
  return lent;
}

void RegionSpace::borrow_indices(const std::vector<std::uint64_t>& lent) {
  const std::scoped_lock lock(indices_);
  for (const std::uint64_t index : lent) tree_.borrow(index);
}

void RegionSpace::remove_owned(deps::RegionIndex region) {
  const std::scoped_lock lock(indices_);
  tree_.bury(region);
  tree_.release_owned(region);
}

}  // namespace myr::graph
