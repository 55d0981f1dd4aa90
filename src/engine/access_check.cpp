// SPDX-License-Identifier: Apache-2.0
#include "engine/access_check.hpp"

#include <fmt/format.h>

#include <string>

#include "base/misuse.hpp"

namespace myr::engine {

namespace {

using graph::ResolveError;

std::string mode_name(const myr_access& access) {
  switch (access.flags & MYR_INOUT) {
    case MYR_IN:
      return "in";
    case MYR_OUT:
      return "out";
    default:
      return "inout";
  }
}

std::string describe_access(const myr_access& access) {
  if ((access.flags & MYR_REGION) != 0) {
    return fmt::format("{}(region {:#x})", mode_name(access), access.region);
  }
  if (access.bytes == 0) return fmt::format("{}({})", mode_name(access), access.address);
  return fmt::format("{}({}, {} bytes)", mode_name(access), access.address,
                     static_cast<std::uint64_t>(access.bytes));
}

// What the holder did declare, so that the reader sees what is missing.
std::string describe_footprint(graph::Task& holder) {
  std::string text;
  const myr_access* accesses = holder.accesses();
  for (std::uint32_t i = 0; i < holder.access_count && i < 8; ++i) {
    if ((accesses[i].flags & MYR_SAFE) != 0) continue;
    if (!text.empty()) text += ", ";
    text += describe_access(accesses[i]);
  }
  if (holder.access_count > 8) text += ", ...";
  return text.empty() ? "nothing" : text;
}

std::string explain(const myr_access& access, ResolveError error, graph::Task& holder) {
  switch (error) {
    case ResolveError::UnknownRegion:
      return "there is no such region: it was never created, or it is freed";
    case ResolveError::UnknownPointer:
      return mem::Heap::contains(access.address)
                 ? "no live object starts there: it is freed, or the pointer is into an object; "
                   "name its "
                   "first byte, or give a length"
                 : "the pointer is not from myr_alloc(); give a length to use other memory";
    case ResolveError::PastTheEnd:
      return "the range goes past the end of the object that it starts in";
    case ResolveError::None:
      break;
  }
  return fmt::format(
      "it is outside the footprint of the calling task (spawned at {}), which declared {}; declare "
      "it "
      "there too, with a mode that covers this one",
      base::describe(holder.site), describe_footprint(holder));
}

}  // namespace

void reject_access(const graph::RegionSpace&, graph::Task& holder, const myr_access& access,
                   ResolveError error, const graph::Task& task) {
  const char* call = (task.flags & graph::kWaiter) != 0 ? "wait" : "spawn";
  base::misuse(task.site, fmt::format("{} with {}: {}", call, describe_access(access),
                                      explain(access, error, holder)));
}

}  // namespace myr::engine
