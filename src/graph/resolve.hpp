// SPDX-License-Identifier: Apache-2.0
//
// Looks up what an access means: a region, an object of the heap, part of one, or other memory.
#pragma once

#include "base/access_text.hpp"
#include "base/shared_word.hpp"
#include "graph/region_space.hpp"
#include "graph/target.hpp"
#include "myr/myr.h"

namespace myr::graph {

// Tasks with such accesses need not run behind all those before them that use the memory.
constexpr unsigned kReordered = base::kGroupFlags | MYR_WEAK;

enum class ResolveError : std::uint8_t {
  None,
  UnknownRegion,   // never created, or freed
  UnknownPointer,  // no object starts there, and no length is given
  PastTheEnd,      // the range is not inside one live object
  TooLong,         // the range does not fit into memory
  UnknownMode,     // a flag without a meaning, or without one beside the others
};

// The second word of an access, with its length and its flags. The spawning thread fills in the
// length of a whole object while other threads may already read the task's accesses; to them both
// values mean the same.
[[nodiscard]] inline std::uint64_t& length_word(myr_access& access) noexcept {
  static_assert(sizeof(myr_access) == 2 * sizeof(std::uint64_t));
  return reinterpret_cast<std::uint64_t*>(&access)[1];
}
[[nodiscard]] inline const std::uint64_t& length_word(const myr_access& access) noexcept {
  return reinterpret_cast<const std::uint64_t*>(&access)[1];
}
// Its parts. Arithmetic on the whole word keeps the path of each access short.
static_assert(std::endian::native == std::endian::little);
constexpr unsigned kFlagsShift = 48;
constexpr std::uint64_t kLengthMask = (std::uint64_t{1} << kFlagsShift) - 1;

inline void set_length(myr_access& access, std::uint64_t bytes) noexcept {
  const std::uint64_t word = length_word(access);
  const std::uint64_t changed = (word & ~kLengthMask) | bytes;
  if (word != changed) base::store_shared(length_word(access), changed);
}
// The access declares nothing. Any thread may be reading it.
inline void forget(myr_access& access) noexcept {
  base::store_shared(length_word(access), std::uint64_t{MYR_VALUE | MYR_IN} << kFlagsShift);
}
// A copy for a thread that is not the spawning one.
[[nodiscard]] inline myr_access copy_access(myr_access& access) noexcept {
  myr_access copy = myr_make_access(access.address, 0, 0);
  length_word(copy) = base::load_shared(length_word(access));
  return copy;
}

// The rest of resolve(): everything but whole objects of the heap.
[[nodiscard]] ResolveError resolve_other(const RegionSpace& space, myr_access& access,
                                         Target& target);

// Does an access of these flags and this length (0: none given) mean the whole object of so many
// bytes?
[[nodiscard]] inline bool is_whole(std::uint64_t length, unsigned flags,
                                   std::size_t object_bytes) noexcept {
  return length == 0 || length == object_bytes || (flags & MYR_WHOLE) != 0;
}
// The length of an access that means a whole object of the heap; for others nothing. Any thread.
inline void fill_in_length(myr_access& access) noexcept {
  if ((access.flags & (MYR_REGION | MYR_VALUE)) != 0) return;
  if (!is_whole(access.bytes, access.flags, 0)) return;
  const std::size_t bytes = mem::Heap::object_bytes(access.address);
  if (bytes != 0) set_length(access, bytes);
}
// The heap object that an access means as a whole; no bytes: it means something else. Any thread.
[[nodiscard]] inline mem::Heap::Whole whole_object(const myr_access& access) noexcept {
  if ((access.flags & ~base::kObjectFlags) != 0) return {};
  const mem::Heap::Whole object = mem::Heap::object_at(access.address);
  return MYR_LIKELY(is_whole(access.bytes, access.flags, object.bytes)) ? object
                                                                        : mem::Heap::Whole{};
}

// Fills `target`; also fills in access.bytes of a whole object. Any thread.
[[nodiscard]] inline ResolveError resolve(const RegionSpace& space, myr_access& access,
                                          Target& target) {
  target.writes = (access.flags & MYR_OUT) != 0;
  const mem::Heap::Whole object = whole_object(access);
  if (object.bytes == 0) return resolve_other(space, access, target);
  target.kind = TargetKind::Object;
  target.region = object.owner;
  target.begin = reinterpret_cast<std::uint64_t>(access.address);
  target.end = target.begin + object.bytes;
  set_length(access, object.bytes);
  return ResolveError::None;
}

}  // namespace myr::graph
