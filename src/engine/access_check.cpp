// SPDX-License-Identifier: Apache-2.0
#include "engine/access_check.hpp"

#include <algorithm>
#include <string>

#include "base/access_text.hpp"
#include "base/format.hpp"
#include "base/misuse.hpp"
#include "base/refusal.hpp"

namespace myr::engine {

namespace {

using graph::ResolveError;

// Does the task behind the holder use it, or a part of it?
bool is_for_end(const myr_access& access, graph::Task& holder) {
  if ((holder.flags & graph::kFirstOfTwo) == 0 || (access.flags & MYR_REGION) != 0) return false;
  const auto begin = reinterpret_cast<std::uint64_t>(access.address);
  const myr_access* const first = holder.accesses();
  return std::any_of(first, first + holder.access_count, [&](const myr_access& last) {
    const auto address = reinterpret_cast<std::uint64_t>(last.address);
    if ((last.flags & MYR_VALUE) == 0 || last.bytes == 0) return false;
    return begin < address + last.bytes && address < begin + access.bytes;
  });
}

std::string explain(const myr_access& access, ResolveError error, graph::Task& holder) {
  switch (error) {
    case ResolveError::UnknownRegion:
      return base::kNoSuchRegion;
    case ResolveError::UnknownPointer:
      if (access.address == nullptr) return base::kNull;
      return mem::Heap::contains(access.address) ? base::kNoLiveObject : base::kNotAllocated;
    case ResolveError::PastTheEnd:
      return base::kPastTheEnd;
    case ResolveError::TooLong:
      return base::kTooLong;
    case ResolveError::UnknownMode:
      return base::unknown_mode(access);
    case ResolveError::None:
      break;
  }
  if (is_for_end(access, holder)) {
    return base::format(
        "the calling task (spawned at {}) reduces into it, so its children must not use it; they "
        "may reduce into the task's own value, if it waits for them",
        base::describe(holder.site));
  }
  return base::outside_footprint({holder.site, holder.accesses(), holder.access_count});
}

}  // namespace

graph::Cover forget_or_reject(const graph::RegionSpace& space, graph::Task& holder,
                              myr_access& access, ResolveError error, graph::Target& target,
                              const graph::Task& task) {
  if ((access.flags & MYR_HELD) == 0) reject_access(space, holder, access, error, task);
  graph::forget(access);
  target.kind = graph::TargetKind::None;
  return {true, deps::kNoRegion};
}

void reject_access(const graph::RegionSpace&, graph::Task& holder, const myr_access& access,
                   ResolveError error, const graph::Task& task) {
  const char* call = (task.flags & graph::kWaiter) != 0 ? "wait" : "spawn";
  base::refuse(task.site, base::format("{} with {}: {}", call, base::describe(access),
                                       explain(access, error, holder)));
}

void reject_region(myr_region region, const char* call, const myr_site* site) {
  if (region == MYR_NO_REGION) {
    base::refuse(site, base::format("{}: this is no region, as what Region{{}} is; create one, or "
                                    "name the root, Region::root() or MYR_ROOT",
                                    call));
  }
  base::refuse(site,
               base::format("{}: there is no region {:#x}: it was never created, or has been freed",
                            call, region));
}

}  // namespace myr::engine
