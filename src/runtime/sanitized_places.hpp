// SPDX-License-Identifier: Apache-2.0
//
// The places that an access is in, so that those of two accesses meet if, and only if, the accesses
// share memory. Bytes are cut into blocks of 1, 8, 64, ... bytes, each aligned to its length and
// inside the next larger one; the largest that fit make up a range. Around them are larger blocks,
// an object, its region, the region around that.
//
//   an access *is in* the blocks that make it up, or the object, or the region
//   it is *within* all places around those
//
// Two accesses share memory if they are in the same place, or one is in a place that the other is
// within.
#pragma once

#include <cstdint>
#include <vector>

#include "myr/myr.h"
#include "runtime/sanitized_memory.hpp"

namespace myr::runtime {

struct Place {
  std::uint64_t key;  // a hash
  bool is_around;     // the access is within it
};

// REQUIRES: an access that is analysed.
[[nodiscard]] std::vector<Place> places_of(const myr_access& access, const SanitizedMemory& memory);

// Does the one lie inside the other, as far as it is easy to see?
[[nodiscard]] bool is_within(const myr_access& inner, const myr_access& outer,
                             const SanitizedMemory& memory);

}  // namespace myr::runtime
