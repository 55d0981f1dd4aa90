// SPDX-License-Identifier: Apache-2.0
#include "graph/footprint.hpp"

#include "graph/interior.hpp"

namespace myr::graph {

namespace {

bool permits(const myr_access& access, const Target& target) {
  return !target.writes || (access.flags & MYR_OUT) != 0;
}

// Does not count what the other one of two tasks uses, as the holder must keep off it.
bool is_value(const Task& holder, const myr_access& access) {
  if ((access.flags & MYR_VALUE) == 0) return false;
  return (holder.flags & kFirstOfTwo) == 0 || access.bytes == 0;
}

// One declared region against the target.
void cover_by_region(const deps::RegionTree& tree, const myr_access& access, const Target& target,
                     Cover& result) {
  if (target.region == deps::kNoRegion) return;
  const deps::RegionIndex held = tree.find(access.region);
  if (held == deps::kNoRegion || !tree.encloses(held, target.region)) return;
  result.allowed = result.allowed || permits(access, target);
  if (result.top == deps::kNoRegion || tree.depth(held) < tree.depth(result.top)) result.top = held;
}

// Would freeing the target free what the access names?
bool goes_with(const deps::RegionTree& tree, const myr_access& access, const Target& target) {
  const bool frees_region = target.kind == TargetKind::Region;
  if ((access.flags & MYR_REGION) != 0) {
    const deps::RegionIndex held = tree.find(access.region);
    return frees_region && held != deps::kNoRegion && tree.encloses(target.region, held);
  }
  if (frees_region) {
    if (!mem::Heap::contains(access.address)) return false;
    const deps::RegionIndex owner = mem::Heap::owner_of(access.address);
    return owner != mem::Heap::kNoOwner && tree.encloses(target.region, owner);
  }
  const auto begin = reinterpret_cast<std::uint64_t>(access.address);
  return begin < target.end && target.begin < begin + access.bytes;
}

// The sorted accesses of a holder with many, or nullptr.
const Declared* sorted_accesses(Task& holder) {
  constexpr std::uint32_t kFew = 16;  // are looked through as they are
  if (holder.access_count <= kFew || holder.interior == nullptr) return nullptr;
  if ((holder.flags & kFirstOfTwo) != 0) return nullptr;
  Declared& declared = holder.interior->declared;
  if (declared.empty()) declared.fill(holder.accesses(), holder.access_count);
  return &declared;
}

Cover cover_by_sorted(const deps::RegionTree& tree, const Declared& declared,
                      const Target& target) {
  Cover result;
  for (const myr_access& access : declared.regions()) {
    cover_by_region(tree, access, target, result);
  }
  if (target.kind == TargetKind::Region) return result;
  const Declared::Reach around = declared.reach(target.begin);
  const bool inside = target.end <= (target.writes ? around.writable : around.any);
  result.is_own = target.region == deps::kNoRegion && !inside &&
                  declared.reach(target.end - 1).kept <= target.begin;
  result.allowed = result.allowed || inside || result.is_own;
  return result;
}

}  // namespace

Cover cover(const RegionSpace& space, Task& holder, const Target& target) {
  const bool unmanaged = target.region == deps::kNoRegion;
  if (holder.depth == 0) {
    return {true, unmanaged ? deps::kNoRegion : deps::kRootRegion};
  }
  if (const Declared* sorted = sorted_accesses(holder)) {
    return cover_by_sorted(space.tree(), *sorted, target);
  }
  Cover result;
  bool overlaps = false;
  const myr_access* accesses = holder.accesses();
  for (std::uint32_t i = 0; i < holder.access_count; ++i) {
    const myr_access& access = accesses[i];
    if (is_value(holder, access)) continue;
    if ((access.flags & MYR_REGION) != 0) {
      cover_by_region(space.tree(), access, target, result);
    } else if (target.kind != TargetKind::Region && access.address != nullptr) {
      const auto begin = reinterpret_cast<std::uint64_t>(access.address);
      const std::uint64_t end = begin + access.bytes;
      overlaps = overlaps || (begin < target.end && target.begin < end && !may_be_freed(access));
      if ((access.flags & MYR_VALUE) != 0) continue;  // the other's
      const bool inside = begin <= target.begin && target.end <= end;
      result.allowed = result.allowed || (inside && permits(access, target));
    }
  }
  result.is_own = unmanaged && !overlaps && !result.allowed;
  result.allowed = result.allowed || result.is_own;
  return result;
}

bool may_free(const RegionSpace& space, Task& holder, const Target& target) {
  if (holder.depth == 0) return true;
  const deps::RegionTree& tree = space.tree();
  bool holds_around = false;
  const myr_access* accesses = holder.accesses();
  for (std::uint32_t i = 0; i < holder.access_count; ++i) {
    const myr_access& access = accesses[i];
    if (is_value(holder, access)) continue;
    if (goes_with(tree, access, target)) return false;
    if ((access.flags & MYR_REGION) == 0 || (access.flags & MYR_OUT) == 0) continue;
    const deps::RegionIndex held = tree.find(access.region);
    if (held != deps::kNoRegion && tree.encloses(held, target.region)) holds_around = true;
  }
  return holds_around;
}

deps::RegionIndex region_zero_of(const RegionSpace& space, Task& holder) {
  const deps::RegionTree& tree = space.tree();
  const myr_access* const accesses = holder.accesses();
  for (std::uint32_t i = 0; i < holder.access_count; ++i) {
    if ((accesses[i].flags & (MYR_REGION | MYR_VALUE)) != MYR_REGION) continue;
    const deps::RegionIndex held = tree.find(accesses[i].region);
    if (held != deps::kNoRegion && tree.is_apart(held)) return held;
  }
  return deps::kRootRegion;
}

}  // namespace myr::graph
