// SPDX-License-Identifier: Apache-2.0
#include "graph/declared.hpp"

#include <algorithm>

namespace myr::graph {

void Declared::fill(const myr_access* accesses, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const myr_access& access = accesses[i];
    if ((access.flags & MYR_VALUE) != 0) continue;
    if ((access.flags & MYR_REGION) != 0) {
      regions_.push_back(access);
      continue;
    }
    if (access.address == nullptr) continue;
    const auto begin = reinterpret_cast<std::uint64_t>(access.address);
    const std::uint64_t end = begin + access.bytes;
    ranges_.push_back(
        {begin, {end, (access.flags & MYR_OUT) != 0 ? end : 0, may_be_freed(access) ? 0 : end}});
  }
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  Reach reach;
  for (Range& range : ranges_) {
    reach.any = std::max(reach.any, range.reach.any);
    reach.writable = std::max(reach.writable, range.reach.writable);
    reach.kept = std::max(reach.kept, range.reach.kept);
    range.reach = reach;
  }
}

void Declared::clear() noexcept {
  ranges_ = std::vector<Range>();
  regions_ = std::vector<myr_access>();
}

Declared::Reach Declared::reach(std::uint64_t address) const noexcept {
  const auto behind = std::upper_bound(
      ranges_.begin(), ranges_.end(), address,
      [](std::uint64_t wanted, const Range& range) { return wanted < range.begin; });
  return behind == ranges_.begin() ? Reach{} : (behind - 1)->reach;
}

}  // namespace myr::graph
