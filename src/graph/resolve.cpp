// SPDX-License-Identifier: Apache-2.0
#include "graph/resolve.hpp"

namespace myr::graph {

namespace {

// Part of an object, or an array with blocks.
ResolveError resolve_part(myr_access& access, Target& target) {
  target.region = mem::Heap::owner_of(access.address);
  if (target.region == mem::Heap::kNoOwner) return ResolveError::UnknownPointer;
  const mem::Range object = mem::Heap::find_object(access.address);
  if (object.first == nullptr) return ResolveError::UnknownPointer;
  target.kind = TargetKind::Range;
  target.block_shift = mem::Heap::block_shift_of(object.first);
  if (target.block_shift != 0) {
    target.kind = TargetKind::Blocks;
    const bool at_first = access.address == object.first;
    if (at_first && is_whole(access.bytes, access.flags, object.bytes)) {
      set_length(access, object.bytes);
    }
  }
  if (access.bytes == 0) return ResolveError::UnknownPointer;
  target.begin = reinterpret_cast<std::uint64_t>(access.address);
  target.end = target.begin + access.bytes;
  target.object = reinterpret_cast<std::uint64_t>(object.first);
  return target.end > target.object + object.bytes ? ResolveError::PastTheEnd : ResolveError::None;
}

Group group_of(unsigned flags) {
  if ((flags & MYR_CONCURRENT) != 0) return Group::Concurrent;
  return (flags & MYR_COMMUTATIVE) != 0 ? Group::Commutative : Group::None;
}

// As if the task ran behind those before it, except for the group.
ResolveError resolve_reordered(const RegionSpace& space, myr_access& access, Target& target) {
  if (!base::has_meaning(access.flags)) return ResolveError::UnknownMode;
  myr_access plain = copy_access(access);
  plain.flags = static_cast<std::uint16_t>(plain.flags & ~kReordered);
  const ResolveError error = resolve(space, plain, target);
  target.group = group_of(access.flags);
  const bool may_be_whole = target.kind == TargetKind::Object || target.kind == TargetKind::Blocks;
  if (error == ResolveError::None && may_be_whole) set_length(access, plain.bytes);
  return error;
}

}  // namespace

ResolveError resolve_other(const RegionSpace& space, myr_access& access, Target& target) {
  if ((access.flags & kReordered) != 0) return resolve_reordered(space, access, target);
  if (!base::has_meaning(access.flags)) return ResolveError::UnknownMode;
  if ((access.flags & MYR_VALUE) != 0) {
    target.kind = TargetKind::None;
    return ResolveError::None;
  }
  if ((access.flags & MYR_REGION) != 0) {
    target.kind = TargetKind::Region;
    target.region = space.tree().find(access.region);
    return target.region == deps::kNoRegion ? ResolveError::UnknownRegion : ResolveError::None;
  }
  if (access.address == nullptr) {
    target.kind = TargetKind::None;
    return (access.flags & MYR_MAYBE) != 0 ? ResolveError::None : ResolveError::UnknownPointer;
  }
  if (mem::Heap::contains(access.address)) return resolve_part(access, target);
  target.kind = TargetKind::Range;
  target.region = deps::kNoRegion;
  target.begin = reinterpret_cast<std::uint64_t>(access.address);
  target.end = target.begin + access.bytes;
  if (!base::fits_memory(access)) return ResolveError::TooLong;
  return access.bytes == 0 ? ResolveError::UnknownPointer : ResolveError::None;
}

}  // namespace myr::graph
