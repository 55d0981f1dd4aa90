// SPDX-License-Identifier: Apache-2.0
//
// Looks up what an access means: a region, an object of the heap, part of one, or other memory.
#pragma once

#include "graph/region_space.hpp"
#include "graph/target.hpp"
#include "myr/myr.h"

namespace myr::graph {

enum class ResolveError : std::uint8_t {
  None,
  UnknownRegion,   // never created, or freed
  UnknownPointer,  // no object starts there, and no length is given
  PastTheEnd,      // the range is not inside one live object
};

// The rest of resolve(): everything but whole objects of the heap.
[[nodiscard]] ResolveError resolve_other(const RegionSpace& space, const myr_access& access,
                                         Target& target);

// Fills `target`; also fills in access.bytes of a whole object. Any thread.
[[nodiscard]] inline ResolveError resolve(const RegionSpace& space, myr_access& access,
                                          Target& target) {
  target.writes = (access.flags & MYR_OUT) != 0;
  if ((access.flags & (MYR_SAFE | MYR_REGION)) == 0) {
    const std::size_t bytes = mem::Heap::object_bytes(access.address);
    const bool whole = access.bytes == 0 || access.bytes == bytes || (access.flags & MYR_WHOLE) != 0;
    if (MYR_LIKELY(bytes != 0 && whole)) {
      target.kind = TargetKind::Object;
      target.region = mem::Heap::owner_of(access.address);
      target.begin = reinterpret_cast<std::uint64_t>(access.address);
      target.end = target.begin + bytes;
      access.bytes = bytes;
      return ResolveError::None;
    }
  }
  return resolve_other(space, access, target);
}

}  // namespace myr::graph
