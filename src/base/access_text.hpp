// SPDX-License-Identifier: Apache-2.0
//
// How messages to the user speak of accesses: what was asked for, and why it is refused. The second
// is the end of a sentence that begins with the call and the access.
#pragma once

#include <cstdint>
#include <string>

#include "myr/myr.h"

namespace myr::base {

// "in", "out", "inout", "concurrent" or "commutative".
[[nodiscard]] const char* mode_name(const myr_access& access) noexcept;
// E.g. "inout(0x1000, 8 bytes)".
[[nodiscard]] std::string describe(const myr_access& access);

// Those of plain accesses to an object or a range; of tasks that run in any order; and all.
inline constexpr unsigned kObjectFlags =
    MYR_INOUT | MYR_NOTRANSFER | MYR_WHOLE | MYR_HELD | MYR_MAYBE;
inline constexpr unsigned kGroupFlags = MYR_CONCURRENT | MYR_COMMUTATIVE;
inline constexpr unsigned kKnownFlags =
    kObjectFlags | kGroupFlags | MYR_WEAK | MYR_VALUE | MYR_REGION;

// Do the flags have a meaning together? A region is not used by several tasks at the same time:
// they could not allocate in it. A task that does not wait for the data cannot touch it.
[[nodiscard]] constexpr bool has_meaning(unsigned flags) noexcept {
  if ((flags & ~kKnownFlags) != 0) return false;
  if ((flags & MYR_WEAK) != 0) {
    return (flags & MYR_NOTRANSFER) != 0 && (flags & (kGroupFlags | MYR_VALUE)) == 0;
  }
  if ((flags & kGroupFlags) == 0) return true;
  if ((flags & MYR_CONCURRENT) != 0 && (flags & (MYR_REGION | MYR_COMMUTATIVE)) != 0) return false;
  return (flags & MYR_INOUT) == MYR_INOUT && (flags & MYR_VALUE) == 0;
}

// Is there memory for so long a range at its place? In the upper half of all addresses programs
// have none.
[[nodiscard]] inline bool fits_memory(const myr_access& access) noexcept {
  const auto first = reinterpret_cast<std::uint64_t>(access.address);
  return access.bytes < MYR_BYTES_MAX && ((first | (first + access.bytes)) >> 63) == 0;
}

inline constexpr const char* kNoSuchRegion =
    "there is no such region: it was never created, or has been freed";
inline constexpr const char* kNoLiveObject =
    "no live object starts there: it has been freed, or the pointer points into an object; name "
    "the object's first byte, or give a length: in(*p) for one element, in(p, n) for n of them";
inline constexpr const char* kNotAllocated =
    "the pointer is not the begin of an object that a region made; for other memory, give a "
    "length: in(*p) for one object, in(p, n) for n of them, in each(v) std::reference_wrapper in "
    "place of pointers, in C myr_in_range(p, bytes)";
inline constexpr const char* kNull =
    "the pointer is null; where it may be, write in(maybe(p)), in C the flag MYR_MAYBE";
inline constexpr const char* kPastTheEnd =
    "the range goes past the end of the object that it starts in";
inline constexpr const char* kTooLong =
    "a range of this length goes past the end of memory; is the count of elements negative, or "
    "does count times size overflow 64 bits?";
[[nodiscard]] std::string unknown_mode(const myr_access& access);

// What a task declared, and where it was spawned.
struct Footprint {
  const myr_site* site = nullptr;
  const myr_access* accesses = nullptr;
  std::uint32_t count = 0;
};
[[nodiscard]] std::string outside_footprint(const Footprint& holder);

}  // namespace myr::base
