// SPDX-License-Identifier: Apache-2.0
//
// SiblingRanges: the order among the children of one task that use the same bytes: of memory
// outside of all regions (stacks, globals, malloc), and of objects of which they use parts. A child
// waits until those before it that it conflicts with have completed, with all their descendants.
//
// It is enough to wait for the last writer of each byte, and to write for its readers since: these
// have waited for all others. So memory is cut into fragments, each with one last writer and the
// readers since.
//
// Invariant: bytes without users are used by nobody. Users may be children that have completed.
// They are forgotten when that is cheap: readers when their list is full, others when there are
// twice as many fragments as were in use the last time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/byte_map.hpp"
#include "base/stable_map.hpp"
#include "proto/messages.hpp"

namespace myr::sched {

class SiblingRanges {
 public:
  // The next child in serial order. True: it must wait for others. Cost for each of its ranges:
  // O(log fragments + uses of others in the range).
  [[nodiscard]] bool enter(const proto::Task& child);
  // The program of a child that uses some of the range and has not completed.
  [[nodiscard]] std::optional<std::uint64_t> user_of(const proto::UsedRange& range) const;
  // The child has completed. Returns those that need not wait any more. Cost: O(children that wait
  // for it).
  [[nodiscard]] std::vector<proto::TaskId> complete(proto::TaskId child);

  // For tests: how much memory it takes.
  [[nodiscard]] std::size_t fragment_count() const noexcept { return users_.size(); }

 private:
  using TaskId = proto::TaskId;
  struct Child {
    std::uint64_t program;
    std::size_t missing = 0;  // children that it waits for
    std::vector<TaskId> successors = {};
  };
  struct Users {
    TaskId writer = 0;  // main, if nobody; main is no child
    std::vector<TaskId> readers = {};
  };

  void write(const proto::UsedRange& range, TaskId child);
  void read(const proto::UsedRange& range, TaskId child);
  void wait_for(TaskId elder, TaskId child);
  void add_reader(Users& users, TaskId child);
  [[nodiscard]] bool is_in_use(Users& users) const;

  base::ByteMap<Users> users_;
  base::StableMap<Child> children_;  // that have not completed
};

}  // namespace myr::sched
