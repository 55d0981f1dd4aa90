// SPDX-License-Identifier: Apache-2.0
//
// How messages to the user speak of accesses: what was asked for, and why it is refused. The second
// is the end of a sentence that begins with the call and the access.
#pragma once

#include <cstdint>
#include <string>

#include "myr/myr.h"

namespace myr::base {

// E.g. "inout(0x1000, 8 bytes)".
[[nodiscard]] std::string describe(const myr_access& access);

inline constexpr const char* kNoSuchRegion =
    "there is no such region: it was never created, or it is freed";
inline constexpr const char* kNoLiveObject =
    "no live object starts there: it is freed, or the pointer is into an object; name its first "
    "byte, or give a length";
inline constexpr const char* kNotAllocated =
    "the pointer is not from myr_alloc(); give a length to use other memory";
inline constexpr const char* kPastTheEnd =
    "the range goes past the end of the object that it starts in";

// What a task declared, and where it was spawned.
struct Footprint {
  const myr_site* site = nullptr;
  const myr_access* accesses = nullptr;
  std::uint32_t count = 0;
};
[[nodiscard]] std::string outside_footprint(const Footprint& holder);

}  // namespace myr::base
