// SPDX-License-Identifier: Apache-2.0
//
// Checks one access of a new task, or of a wait, against the memory and the footprint of the task
// that makes it, and reports misuse with the call site.
#pragma once

#include "graph/footprint.hpp"
#include "graph/resolve.hpp"

namespace myr::engine {

// What a container has moved meanwhile (MYR_HELD) is no mistake, and declares nothing; for all else
// reports what is wrong and ends the program.
MYR_COLD graph::Cover forget_or_reject(const graph::RegionSpace& space, graph::Task& holder,
                                       myr_access& access, graph::ResolveError error,
                                       graph::Target& target, const graph::Task& task);
// Says what is wrong (base::refuse()).
[[noreturn]] MYR_COLD void reject_access(const graph::RegionSpace& space, graph::Task& holder,
                                         const myr_access& access, graph::ResolveError error,
                                         const graph::Task& task);

// The same for a call that names a region that does not exist, or no longer does.
[[noreturn]] MYR_COLD void reject_region(myr_region region, const char* call, const myr_site* site);

// From now on the access, to region 0, names that of the holder's root.
inline void name_own_root(const graph::RegionSpace& space, graph::Task& holder, myr_access& access,
                          graph::Target& target) {
  if (target.region != deps::kRootRegion) return;
  target.region = graph::region_zero_of(space, holder);
  if (target.region == deps::kRootRegion) return;
  base::store_shared(access.region, space.tree().id_of(target.region));  // others may read it
}

// Looks the access up and checks that `holder` may hand it on. `task`: the new task, or the waiter.
[[nodiscard]] inline graph::Cover check_access(const graph::RegionSpace& space, graph::Task& holder,
                                               myr_access& access, graph::Target& target,
                                               const graph::Task& task) {
  const graph::ResolveError error = graph::resolve(space, access, target);
  if (MYR_UNLIKELY(error != graph::ResolveError::None)) {
    return forget_or_reject(space, holder, access, error, target, task);
  }
  if (target.kind == graph::TargetKind::None) return {true, deps::kNoRegion};
  if (MYR_UNLIKELY(target.kind == graph::TargetKind::Region)) {
    name_own_root(space, holder, access, target);
  }
  if (MYR_LIKELY(holder.depth == 0)) {
    return {true, target.region == deps::kNoRegion ? deps::kNoRegion : deps::kRootRegion};
  }
  const graph::Cover cover = graph::cover(space, holder, target);
  if (MYR_UNLIKELY(!cover.allowed)) {
    return forget_or_reject(space, holder, access, graph::ResolveError::None, target, task);
  }
  return cover;
}

}  // namespace myr::engine
