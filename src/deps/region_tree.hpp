// SPDX-License-Identifier: Apache-2.0
//
// The tree of all regions: which one lies inside which. Pure identity and shape; the bytes of a
// region are mem::Pool's. Ids carry a generation, so an id of a freed region is never mistaken for
// its successor.
//
// Threads: links of a region are changed only by the task that holds its parent for writing, and
// read by tasks that hold it; index allocation is the caller's to serialise (allocate_index,
// release_index). Any thread may ask generation(), find() and encloses() about a region that may be
// freed meanwhile: then the answer is about the old region, or its successor, or wrong; no memory
// beyond the nodes is touched.
//
// Invariants
//   1. parent, depth and generation of a live region never change.
//   2. A region is live from insert() to erase(); its parent is live all that time.
//   3. depth(child) == depth(parent) + 1; the root has index 0, depth 0, generation 0.
#pragma once

#include <cstdint>
#include <vector>

#include "base/contract.hpp"
#include "base/shared_word.hpp"
#include "myr/myr.h"

namespace myr::deps {

using RegionIndex = std::uint32_t;
inline constexpr RegionIndex kRootRegion = 0;
inline constexpr RegionIndex kNoRegion = 0xffffffff;

struct RegionNode {
  RegionIndex parent = kNoRegion;
  std::uint32_t generation = 0;  // 0: never used (or the root); odd: free; even: live
  std::uint32_t depth = 0;
  RegionIndex first_child = kNoRegion;
  RegionIndex next_sibling = kNoRegion;
  RegionIndex previous_sibling = kNoRegion;
};

class RegionTree {
 public:
  // `nodes`: zeroed storage for `capacity` regions, owned by the caller, outliving the tree. The
  // tree hands out the indices from `first`, or 1, up to `end`.
  RegionTree(RegionNode* nodes, RegionIndex capacity, RegionIndex first, RegionIndex end) noexcept;
  RegionTree(RegionNode* nodes, RegionIndex capacity) noexcept
      : RegionTree(nodes, capacity, 0, capacity) {}

  // A free index, or kNoRegion when all are in use. Serialised by the caller.
  [[nodiscard]] RegionIndex allocate_index() noexcept;
  // All nodes that allocate_index() has ever touched come before this one.
  [[nodiscard]] RegionIndex untouched() const noexcept { return untouched_; }
  // After 2^31 - 1 lives an index is given up, so that no id ever stands for two regions.
  void release_index(RegionIndex index);
  static constexpr std::uint32_t kLastGeneration = 0xffffffff;

  // Makes `index` a live child of `parent`. The caller holds `parent` for writing.
  void insert(RegionIndex index, RegionIndex parent) noexcept;
  // Makes `index` live, inside the root, but not one of the children that it knows: so the caller
  // need not hold the root. It is never erased.
  void insert_apart(RegionIndex index) noexcept;
  [[nodiscard]] bool is_apart(RegionIndex index) const noexcept {
    return base::load_shared(nodes_[index].next_sibling) == index;
  }
  // For machines of agents: a live child of `parent` that `owner` has made. Nobody keeps a list of
  // these, so their maker need not hold the parent; the owner is part of the id.
  // REQUIRES: bury() has ended the index's last life, if it has had one.
  static constexpr unsigned kLifeBits = 17;
  void insert_owned(RegionIndex index, RegionIndex parent, std::uint32_t owner) noexcept;
  // Notes what another tree says of a region; nothing if it has ended, or had another life since
  // then. REQUIRES: the parent is known.
  void know(myr_region id, myr_region parent) noexcept;
  // Its id is of no region from now on. A second call changes nothing.
  void bury(RegionIndex index) noexcept;
  // For a buried region.
  void release_owned(RegionIndex index);
  // A free index goes as a number to the same tree in another process, where it is free, too: so
  // the lives of a region are counted on, wherever they are. Serialised as allocate_index().
  [[nodiscard]] std::uint64_t lend(RegionIndex index) const noexcept {
    return std::uint64_t{generation(index)} << 32 | index;
  }
  void borrow(std::uint64_t lent);
  // Ends the life of a region without children. The caller holds its parent for writing.
  void erase(RegionIndex index) noexcept;

  [[nodiscard]] static RegionIndex index_of(myr_region id) noexcept {
    return static_cast<RegionIndex>(id);
  }
  // Is the region of an id that was given out still there?
  [[nodiscard]] bool is_live(myr_region id) const noexcept {
    return generation(index_of(id)) == static_cast<std::uint32_t>(id >> 32);
  }
  // The index of a live region, or kNoRegion for an id that was never given out or is freed.
  [[nodiscard]] RegionIndex find(myr_region id) const noexcept {
    const RegionIndex index = index_of(id);
    if (index >= capacity_ || !is_live(id)) return kNoRegion;
    const auto generation = static_cast<std::uint32_t>(id >> 32);
    if ((generation & 1U) != 0 || (generation == 0) != (index == kRootRegion)) return kNoRegion;
    return index;
  }
  [[nodiscard]] myr_region id_of(RegionIndex index) const noexcept {
    return (static_cast<myr_region>(generation(index)) << 32) | index;
  }
  // Was the region alive when id_of() said that?
  [[nodiscard]] static bool is_of_live(myr_region id) noexcept { return (id >> 32 & 1) == 0; }
  // The region around a live one; of others, the root.
  [[nodiscard]] myr_region around(myr_region id) const noexcept {
    const RegionIndex index = find(id);
    return index == kNoRegion || parent(index) == kNoRegion ? MYR_ROOT : id_of(parent(index));
  }
  [[nodiscard]] RegionIndex parent(RegionIndex index) const noexcept {
    return base::load_shared(nodes_[index].parent);
  }
  [[nodiscard]] std::uint32_t depth(RegionIndex index) const noexcept {
    return base::load_shared(nodes_[index].depth);
  }
  [[nodiscard]] std::uint32_t generation(RegionIndex index) const noexcept {
    return base::load_shared(nodes_[index].generation);
  }
  [[nodiscard]] RegionIndex first_child(RegionIndex index) const noexcept {
    return nodes_[index].first_child;
  }

  // Is `inner` the region `outer`, or inside it? Cost: the difference of their depths.
  [[nodiscard]] bool encloses(RegionIndex outer, RegionIndex inner) const noexcept {
    const std::uint32_t depth_outer = depth(outer);
    while (depth(inner) > depth_outer) inner = parent(inner);
    return inner == outer;
  }

 private:
  RegionNode* nodes_;
  RegionIndex capacity_;
  RegionIndex end_;                // of the indices that are handed out
  RegionIndex untouched_;          // indices from here on were never used
  std::vector<RegionIndex> free_;  // released indices, last in first out
};

}  // namespace myr::deps
