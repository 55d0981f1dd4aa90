// SPDX-License-Identifier: Apache-2.0
#include "cluster/byte_cover.hpp"

#include <algorithm>

#include "graph/declared.hpp"

namespace myr::cluster {

namespace {

std::uint64_t address_of(const myr_access& access) {
  return reinterpret_cast<std::uintptr_t>(access.address);
}

}  // namespace

ByteCover::ByteCover(std::span<const myr_access> declared) {
  for (const myr_access& access : declared) {
    if ((access.flags & (MYR_VALUE | MYR_REGION)) != 0 || access.address == nullptr) continue;
    const std::uint64_t begin = address_of(access);
    ranges_.push_back({.begin = begin,
                       .end = begin + access.bytes,
                       .reach = 0,
                       .mode = mode_of(access),
                       .may_be_freed = graph::may_be_freed(access)});
  }
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::uint64_t reach = 0;
  for (Range& range : ranges_) range.reach = reach = std::max(reach, range.end);
}

ByteCover::Answer ByteCover::look(const myr_access& access) const noexcept {
  const std::uint64_t begin = address_of(access);
  const std::uint64_t end = begin + access.bytes;
  Answer answer = Answer::Apart;
  auto range = std::partition_point(ranges_.begin(), ranges_.end(),
                                    [end](const Range& one) { return one.begin < end; });
  while (range != ranges_.begin() && (--range)->reach > begin) {
    if (range->end <= begin) continue;
    if (!range->may_be_freed) answer = Answer::Overlaps;
    const bool permits = range->mode >= mode_of(access);
    if (permits && range->begin <= begin && end <= range->end) return Answer::Inside;
  }
  return answer;
}

}  // namespace myr::cluster
