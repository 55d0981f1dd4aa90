// SPDX-License-Identifier: Apache-2.0
//
// Tasks of a taskloop that run one after the other where they are spawned. They have one record as
// long as none leaves anything in it: children, dependences, other control variables.
#pragma once

#include <cstring>
#include <utility>

#include "omp/observe.hpp"
#include "omp/task.hpp"
#include "omp/team.hpp"

namespace myr::omp {

class HereTask {
 public:
  // `deferred`: the loop's tasks may run elsewhere.
  HereTask(Thread& self, bool deferred) noexcept
      : self_(self), parent_(self.at.task), queue_(slot_of(self).queue) {
    is_deep_ = deferred && is_too_deep(self);
    may_queue_ = deferred && (parent_->flags & kFinal) == 0 && (is_deep_ || !is_alone(self));
  }
  ~HereTask() { end(); }
  HereTask(const HereTask&) = delete;
  HereTask& operator=(const HereTask&) = delete;

  // Would a task that is spawned now run at once?
  [[nodiscard]] bool is_next() const noexcept {
    return !may_queue_ || (!is_deep_ && queue_.is_full());
  }
  // The record; nullptr: there is none.
  [[nodiscard]] Task* get() const noexcept { return task_; }
  // From make_task(), with its body.
  Task* set(Task* task) noexcept { return task_ = task; }

  // Runs the body once.
  void run() {
    begin_here(self_, task_);
    task_->body(task_->data);
    self_.at.task = parent_;
    const bool is_as_before = task_->spawned == 0 && task_->depends == nullptr &&
                              task_->icv == parent_->icv && task_->group == parent_->group;
    if (MYR_UNLIKELY(!is_as_before)) end();
  }
  // The same for the task that is asked for.
  void run(const TaskRequest& request) {
    if (MYR_UNLIKELY(is_cancelled(parent_))) return;
    if (MYR_UNLIKELY(task_ == nullptr)) begin(request);
    if (MYR_UNLIKELY(request.copy != nullptr)) {
      copy_arguments(self_, task_, request);
    } else {  // its body leaves all but the range as it is
      // Word by word: one load of two that were just stored waits until they are in the cache.
      volatile std::uint64_t* range = static_cast<std::uint64_t*>(request.data);
      range[0] = request.range[0];
      range[1] = request.range[1];
    }
    const Span span(Construct::Task, code_of(request.body));
    run();
  }
  void end() {
    if (task_ == nullptr) return;
    self_.at.task = task_;
    end_here(self_, std::exchange(task_, nullptr));
  }

 private:
  MYR_COLD void begin(const TaskRequest& request) {
    task_ = make_task(self_, request.copy != nullptr ? request.size + request.align : 0);
    task_->body = request.body;
    task_->data = request.data;
    set_kind(task_, request);
  }

  Thread& self_;
  Task* const parent_;
  const TaskQueue& queue_;
  bool is_deep_;
  bool may_queue_;
  Task* task_ = nullptr;
};

}  // namespace myr::omp
