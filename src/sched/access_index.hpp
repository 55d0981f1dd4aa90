// SPDX-License-Identifier: Apache-2.0
//
// AccessIndex: finds the accesses of a task by node: few by looking at each, many in a sorted list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "proto/messages.hpp"

namespace myr::sched {

class AccessIndex {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  AccessIndex() = default;
  // The list stays as long as the index is used; nodes do not change.
  explicit AccessIndex(const proto::Accesses& accesses) {
    if (accesses.size() <= kSearchMax) return;
    sorted_.reserve(accesses.size());
    for (std::uint32_t i = 0; i < accesses.size(); ++i) {
      sorted_.emplace_back(accesses[i].node, i);
    }
    std::sort(sorted_.begin(), sorted_.end());
  }

  // The number of the first access to the node, or the `expected` one, if it is to the node;
  // kNone: there is none. Cost: O(log accesses).
  [[nodiscard]] std::size_t find(const proto::Accesses& accesses, proto::NodeId node,
                                 std::size_t expected = 0) const {
    if (expected < accesses.size() && accesses[expected].node == node) return expected;
    if (sorted_.empty()) {
      for (std::size_t i = 0; i < accesses.size(); ++i) {
        if (accesses[i].node == node) return i;
      }
      return kNone;
    }
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{node, 0U});
    return at != sorted_.end() && at->first == node ? at->second : kNone;
  }

 private:
  static constexpr std::size_t kSearchMax = 8;

  std::vector<std::pair<proto::NodeId, std::uint32_t>> sorted_;  // empty if there are few
};

}  // namespace myr::sched
