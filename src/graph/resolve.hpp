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

// Fills `target`; also fills in access.bytes of a whole object. Any thread.
[[nodiscard]] ResolveError resolve(const RegionSpace& space, myr_access& access, Target& target);

}  // namespace myr::graph
