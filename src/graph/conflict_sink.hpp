// SPDX-License-Identifier: Apache-2.0
//
// ConflictSink: takes the tasks that a task must wait for, as a Domain finds them. Repetitions of
// the last two, the task itself and "none" are dropped on the way: they are most of what is
// reported. (A part of a loop meets the last writer of each of its objects and those that read it
// since, in turn: mostly the same two tasks.) Where many tasks are going to be waited for again, it
// makes one of them.
#pragma once

#include <utility>

#include "base/contract.hpp"
#include "graph/ref_set.hpp"
#include "graph/task_ref.hpp"
#include "myr/myr.h"

namespace myr::graph {

class ConflictSink {
 public:
  void report(TaskRef on) {
    if (MYR_LIKELY(!on || on == last_ || on == self_)) return;
    std::swap(last_, before_last_);
    if (on == last_) return;
    last_ = on;
    wait_for(on);
  }
  // A task without a body that waits for all members but the sink's own task, or none if all have
  // ended. To wait for it is to wait for them. `memory`: all because of which any of them is waited
  // for, with MYR_INOUT; if a member ends before its children, those are waited for that use it.
  [[nodiscard]] virtual TaskRef join(const RefSet& members, const myr_access& memory) = 0;

  // The task whose accesses are being entered.
  [[nodiscard]] TaskRef self() const noexcept { return self_; }

 protected:
  explicit ConflictSink(TaskRef self) noexcept : self_(self) {}
  ~ConflictSink() = default;
  ConflictSink(const ConflictSink&) = delete;
  ConflictSink& operator=(const ConflictSink&) = delete;

 private:
  virtual void wait_for(TaskRef on) = 0;

  TaskRef self_;
  TaskRef last_;
  TaskRef before_last_;
};

}  // namespace myr::graph
