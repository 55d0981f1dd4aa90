// SPDX-License-Identifier: Apache-2.0
#include "base/access_text.hpp"

#include "base/format.hpp"
#include "base/misuse.hpp"

namespace myr::base {

namespace {

constexpr std::uint32_t kShown = 8;  // a longer list would hide the message

// What the holder did declare, so that the reader sees what is missing.
std::string list(const Footprint& holder) {
  std::string text;
  for (std::uint32_t i = 0; i < holder.count && i < kShown; ++i) {
    if ((holder.accesses[i].flags & MYR_VALUE) != 0) continue;
    if (!text.empty()) text += ", ";
    text += base::describe(holder.accesses[i]);
  }
  if (holder.count > kShown) text += ", ...";
  return text.empty() ? "nothing" : text;
}

}  // namespace

const char* mode_name(const myr_access& access) noexcept {
  if ((access.flags & MYR_COMMUTATIVE) != 0) return "commutative";
  if ((access.flags & MYR_CONCURRENT) != 0) return "concurrent";
  switch (access.flags & MYR_INOUT) {
    case MYR_IN:
      return "in";
    case MYR_OUT:
      return "out";
    default:
      return "inout";
  }
}

std::string describe(const myr_access& access) {
  if ((access.flags & MYR_REGION) != 0) {
    return base::format("{}(region {:#x})", mode_name(access), access.region);
  }
  if (access.bytes == 0) return base::format("{}({})", mode_name(access), access.address);
  return base::format("{}({}, {} bytes)", mode_name(access), access.address,
                      static_cast<std::uint64_t>(access.bytes));
}

std::string unknown_mode(const myr_access& access) {
  if ((access.flags & MYR_WEAK) != 0 && (access.flags & ~kKnownFlags) == 0) {
    return "a weak access is for a task that only hands the data on: write MYR_WEAK | "
           "MYR_NOTRANSFER, without MYR_CONCURRENT, MYR_COMMUTATIVE and MYR_VALUE";
  }
  if ((access.flags & ~kKnownFlags) == 0) {
    return "concurrent and commutative are for memory that the tasks read and write; they exclude "
           "each other, and a region cannot be concurrent: write MYR_INOUT | MYR_CONCURRENT or "
           "MYR_INOUT | MYR_COMMUTATIVE";
  }
  return base::format(
      "its flags {:#x} contain unknown bits, {:#x}; combine only the flags of myr.h, as myr_in() "
      "and the like do, and compile the program with the myr.h of the library that it runs with",
      static_cast<unsigned>(access.flags), access.flags & ~kKnownFlags);
}

std::string outside_footprint(const Footprint& holder) {
  return base::format(
      "it is outside the footprint of the calling task (spawned at {}), which declared {}; declare "
      "it there too, with a mode that covers this one",
      base::describe(holder.site), list(holder));
}

}  // namespace myr::base
