// SPDX-License-Identifier: Apache-2.0
//
// StepEdges: which tasks of a recorded step wait for which, and who has what they use when the step
// comes again: its tasks run where they ran before, so what it leaves behind lies where it lay at
// its begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/small_vector.hpp"
#include "base/stable_map.hpp"
#include "proto/messages.hpp"

namespace myr::sched {

class StepEdges {
 public:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  // Ranges outside of all regions that a step may have, as each is compared with all before it.
  static constexpr std::size_t kRangesMax = 256;

  // The next task in serial order, then what it uses. `transfers`: to or from where it runs.
  // Cost: O(1 + edges) and, for a range, O(others).
  void begin_task();
  void use(proto::NodeId object, proto::Mode mode, bool transfers);
  void use(const proto::UsedRange& range);

  [[nodiscard]] std::uint32_t task_count() const noexcept {
    return static_cast<std::uint32_t>(tasks_.size());
  }
  // The tasks that it waits for, each once.
  [[nodiscard]] std::span<const std::uint32_t> before(std::uint32_t task) const {
    const std::uint32_t* const end = end_of(task, &Task::first_before, before_);
    return {before_.data() + tasks_[task].first_before, end};
  }
  // The one that has written an object when a task uses it.
  struct Source {
    std::uint32_t before = kNobody;       // a task before it, or nobody of the step
    const std::uint32_t* last = nullptr;  // of all tasks so far; nullptr: it does not use it
  };
  // Cost: O(objects that the task uses).
  [[nodiscard]] Source source_of(std::uint32_t task, std::uint64_t object) const;

 private:
  struct Users {
    std::uint32_t writer = kNobody;
    std::uint32_t producer = kNobody;                  // the last writer that transfers
    base::SmallVector<std::uint32_t, 2> readers = {};  // since the writer
  };
  struct Use {
    std::uint64_t object;
    Source source;
  };
  struct UsedBy {
    proto::UsedRange range;
    std::uint32_t task;
  };
  struct Task {
    std::uint32_t first_use;
    std::uint32_t first_before;
    std::uint32_t seen_by;  // the last one that waits for it
  };
  template <class List>
  [[nodiscard]] const typename List::value_type* end_of(std::uint32_t task,
                                                        std::uint32_t Task::* first,
                                                        const List& list) const {
    return list.data() + (task + 1 == tasks_.size() ? list.size() : tasks_[task + 1].*first);
  }
  void wait_for(std::uint32_t elder);

  base::StableMap<Users> users_;
  std::vector<UsedBy> ranges_;
  std::vector<Task> tasks_;
  std::vector<Use> uses_;              // of one task after the other
  std::vector<std::uint32_t> before_;  // the same
};

}  // namespace myr::sched
