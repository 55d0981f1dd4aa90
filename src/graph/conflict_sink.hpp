// SPDX-License-Identifier: Apache-2.0
//
// ConflictSink: takes the tasks that a task must wait for, as a Domain finds them. Repetitions of
// the last one, the task itself and "none" are dropped on the way: they are most of what is
// reported.
#pragma once

#include "base/contract.hpp"
#include "graph/task_ref.hpp"

namespace myr::graph {

class ConflictSink {
 public:
  void report(TaskRef on) {
    if (MYR_LIKELY(!on || on == last_ || on == self_)) return;
    last_ = on;
    wait_for(on);
  }
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
};

}  // namespace myr::graph
