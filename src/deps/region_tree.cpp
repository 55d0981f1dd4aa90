// SPDX-License-Identifier: Apache-2.0
#include "deps/region_tree.hpp"

namespace myr::deps {

RegionTree::RegionTree(RegionNode* nodes, RegionIndex capacity, RegionIndex first,
                       RegionIndex end) noexcept
    : nodes_(nodes),
      capacity_(capacity),
      end_(end),
      untouched_(first == kRootRegion ? kRootRegion + 1 : first) {
  nodes_[kRootRegion] = RegionNode{};
}

RegionIndex RegionTree::allocate_index() noexcept {
  if (!free_.empty()) {
    const RegionIndex index = free_.back();
    free_.pop_back();
    return index;
  }
  if (untouched_ == end_) return kNoRegion;
  const RegionIndex index = untouched_;
  untouched_ += 1;
  nodes_[index].parent = kNoRegion;
  nodes_[index].generation = 1;  // free until insert()
  return index;
}

void RegionTree::release_index(RegionIndex index) {
  // One more life would begin the generations, and so the ids, anew: such an index is given up.
  if (nodes_[index].generation != kLastGeneration) free_.push_back(index);
}

void RegionTree::insert(RegionIndex index, RegionIndex parent) noexcept {
  RegionNode& node = nodes_[index];
  RegionNode& above = nodes_[parent];
  MYR_ASSERT((node.generation & 1U) == 1U);
  base::store_shared(node.parent, parent);
  base::store_shared(node.depth, above.depth + 1);
  node.first_child = kNoRegion;
  node.previous_sibling = kNoRegion;
  base::store_shared(node.next_sibling, above.first_child);
  if (above.first_child != kNoRegion) nodes_[above.first_child].previous_sibling = index;
  above.first_child = index;
  base::store_shared(node.generation, node.generation + 1);
}

void RegionTree::insert_apart(RegionIndex index) noexcept {
  RegionNode& node = nodes_[index];
  MYR_ASSERT((node.generation & 1U) == 1U);
  base::store_shared(node.parent, kRootRegion);
  base::store_shared(node.depth, std::uint32_t{1});
  node.first_child = kNoRegion;
  node.previous_sibling = kNoRegion;
  base::store_shared(node.next_sibling, index);  // see is_apart()
  base::store_shared(node.generation, node.generation + 1);
}

namespace {
constexpr std::uint32_t kLifeMask = (1U << RegionTree::kLifeBits) - 1;
}

void RegionTree::insert_owned(RegionIndex index, RegionIndex parent, std::uint32_t owner) noexcept {
  RegionNode& node = nodes_[index];
  MYR_ASSERT((node.generation & 1U) == 1U);
  base::store_shared(node.parent, parent);
  base::store_shared(node.depth, depth(parent) + 1);
  const std::uint32_t life = (node.generation & kLifeMask) + 1;
  base::store_shared(node.generation, owner << kLifeBits | life);
}

// The generation last: a thread that finds the region finds where it lies.
void RegionTree::know(myr_region id, myr_region parent) noexcept {
  const auto told = static_cast<std::uint32_t>(id >> 32);
  if ((told & kLifeMask) <= (generation(index_of(id)) & kLifeMask)) return;
  RegionNode& node = nodes_[index_of(id)];
  base::store_shared(node.parent, index_of(parent));
  base::store_shared(node.depth, depth(index_of(parent)) + 1);
  base::store_shared(node.generation, told);
}

void RegionTree::bury(RegionIndex index) noexcept {
  RegionNode& node = nodes_[index];
  base::store_shared(node.generation, generation(index) | 1U);
}

void RegionTree::release_owned(RegionIndex index) {
  if ((nodes_[index].generation & kLifeMask) != kLifeMask) free_.push_back(index);
}

void RegionTree::borrow(std::uint64_t lent) {
  const RegionIndex index = index_of(lent);
  base::store_shared(nodes_[index].generation, static_cast<std::uint32_t>(lent >> 32));
  free_.push_back(index);
}

void RegionTree::erase(RegionIndex index) noexcept {
  RegionNode& node = nodes_[index];
  MYR_ASSERT(index != kRootRegion && node.first_child == kNoRegion);
  if (node.previous_sibling != kNoRegion) {
    base::store_shared(nodes_[node.previous_sibling].next_sibling, node.next_sibling);
  } else {
    nodes_[node.parent].first_child = node.next_sibling;
  }
  if (node.next_sibling != kNoRegion) {
    nodes_[node.next_sibling].previous_sibling = node.previous_sibling;
  }
  base::store_shared(node.generation, node.generation + 1);
}

}  // namespace myr::deps
