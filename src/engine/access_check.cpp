// SPDX-License-Identifier: Apache-2.0
#include "engine/access_check.hpp"

#include <string>

#include "base/access_text.hpp"
#include "base/format.hpp"
#include "base/misuse.hpp"

namespace myr::engine {

namespace {

using graph::ResolveError;

std::string explain(const myr_access& access, ResolveError error, graph::Task& holder) {
  switch (error) {
    case ResolveError::UnknownRegion:
      return base::kNoSuchRegion;
    case ResolveError::UnknownPointer:
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
  return base::outside_footprint({holder.site, holder.accesses(), holder.access_count});
}

}  // namespace

void reject_access(const graph::RegionSpace&, graph::Task& holder, const myr_access& access,
                   ResolveError error, const graph::Task& task) {
  const char* call = (task.flags & graph::kWaiter) != 0 ? "wait" : "spawn";
  base::misuse(task.site, base::format("{} with {}: {}", call, base::describe(access),
                                       explain(access, error, holder)));
}

void reject_region(myr_region region, const char* call, const myr_site* site) {
  base::misuse(site,
               base::format("{}: there is no region {:#x}: it was never created, or has been freed",
                            call, region));
}

}  // namespace myr::engine
