// SPDX-License-Identifier: Apache-2.0
//
// SiblingRanges: the order among the children of one task that use the same memory outside of all
// regions: stacks, globals, malloc. A child waits until those before it that it conflicts with have
// completed, with all their descendants.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "proto/messages.hpp"

namespace myr::sched {

class SiblingRanges {
 public:
  // The next child in serial order. True: it must wait for others.
  [[nodiscard]] bool enter(proto::TaskId child, const std::vector<proto::Foreign>& ranges);
  // The child has completed. Returns those that need not wait any more.
  [[nodiscard]] std::vector<proto::TaskId> complete(proto::TaskId child);

 private:
  struct Use {
    proto::Foreign range;
    proto::TaskId child;
  };
  struct Child {
    std::size_t missing = 0;
    std::vector<proto::TaskId> successors;
  };

  // Of children that have not completed. Cost of entering: their number.
  std::vector<Use> uses_;
  std::unordered_map<proto::TaskId, Child> children_;
};

}  // namespace myr::sched
