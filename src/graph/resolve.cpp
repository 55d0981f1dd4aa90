// SPDX-License-Identifier: Apache-2.0
#include "graph/resolve.hpp"

namespace myr::graph {

namespace {

ResolveError resolve_in_heap(myr_access& access, Target& target) {
  using mem::Heap;
  target.region = Heap::owner_of(access.address);
  if (target.region == Heap::kNoOwner) return ResolveError::UnknownPointer;
  target.begin = reinterpret_cast<std::uint64_t>(access.address);
  const std::size_t object_bytes = Heap::object_bytes(access.address);
  const bool whole = access.bytes == 0 || (access.flags & MYR_WHOLE) != 0;
  if (object_bytes != 0 && (whole || access.bytes == object_bytes)) {
    target.kind = TargetKind::Object;
    target.end = target.begin + object_bytes;
    access.bytes = object_bytes;
    return ResolveError::None;
  }
  if (access.bytes == 0) return ResolveError::UnknownPointer;
  const mem::Range around = object_bytes != 0
                                ? mem::Range{static_cast<std::byte*>(access.address), object_bytes}
                                : Heap::find_object(access.address);
  target.kind = TargetKind::Range;
  target.end = target.begin + access.bytes;
  target.object = reinterpret_cast<std::uint64_t>(around.first);
  if (around.first == nullptr) return ResolveError::UnknownPointer;
  return target.end > target.object + around.bytes ? ResolveError::PastTheEnd : ResolveError::None;
}

}  // namespace

ResolveError resolve(const RegionSpace& space, myr_access& access, Target& target) {
  target.writes = (access.flags & MYR_OUT) != 0;
  if ((access.flags & MYR_SAFE) != 0) {
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
    return ResolveError::None;
  }
  if (mem::Heap::contains(access.address)) return resolve_in_heap(access, target);
  target.kind = TargetKind::Range;
  target.region = deps::kNoRegion;
  target.begin = reinterpret_cast<std::uint64_t>(access.address);
  target.end = target.begin + access.bytes;
  return access.bytes == 0 ? ResolveError::UnknownPointer : ResolveError::None;
}

}  // namespace myr::graph
