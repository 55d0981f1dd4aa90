// SPDX-License-Identifier: Apache-2.0
//
// SiblingRanges: the order among the children of one task that use the same memory outside of all
// regions: stacks, globals, malloc. A child waits until those before it that it conflicts with have
// completed, with all their descendants.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "proto/messages.hpp"

namespace myr::sched {

class SiblingRanges {
 public:
  // The next child in serial order. True: it must wait for others.
  [[nodiscard]] bool enter(const proto::Task& child);
  // The program of a child that uses some of the range and has not completed.
  [[nodiscard]] std::optional<std::uint64_t> user_of(const proto::Foreign& range) const;
  // The child has completed. Returns those that need not wait any more.
  [[nodiscard]] std::vector<proto::TaskId> complete(proto::TaskId child);

 private:
  struct Use {
    proto::Foreign range;
    proto::TaskId child;
    std::uint64_t program;
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
