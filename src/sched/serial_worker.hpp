// SPDX-License-Identifier: Apache-2.0
//
// SerialWorker: a Worker that runs one task at a time, as a core of a simulated chip does. A task
// that waits leaves the core to others, and goes on before new ones begin.
#pragma once

#include <optional>

#include "base/contract.hpp"
#include "base/ring.hpp"
#include "sched/worker.hpp"

namespace myr::sched {

class SerialWorker : public Hands {
 public:
  SerialWorker(Data& data, AgentId self) noexcept
      : worker_(*this, data, self, {.tasks_ahead = 1 + kPrefetch, .keeps_order = true}) {}

  [[nodiscard]] Worker& worker() noexcept { return worker_; }
  [[nodiscard]] const Worker& worker() const noexcept { return worker_; }

  // Main has begun elsewhere.
  void start_main(proto::TaskId main) { running_ = main; }
  // The running task does.
  void waits(proto::TaskId task) {
    MYR_ASSERT(running_ == task);
    running_.reset();
    run_next();
    worker_.look_ahead();
  }
  void ended(proto::TaskId task) { waits(task); }

  [[nodiscard]] bool is_idle() const noexcept { return !running_ && !worker_.has_tasks(); }

 protected:
  ~SerialWorker() = default;

  // Begins the task; in the end: ended(). It may come to waits between. Returns before that.
  virtual void begin(const proto::Work& work) = 0;
  // Goes on after a wait.
  virtual void go_on(proto::TaskId task) = 0;

 private:
  static constexpr std::size_t kPrefetch = 1;  // tasks whose data is fetched, as published

  void task_is_here() final { run_next(); }
  void end_wait(proto::TaskId task, proto::FailurePtr) final {
    resumable_.push_back(task);
    run_next();
  }
  void run_next() {
    if (running_) return;
    if (!resumable_.empty()) {
      running_ = resumable_.front();
      resumable_.pop_front();
      go_on(*running_);
    } else if (const auto next = worker_.take()) {
      running_ = next->task;
      begin(*next);
      worker_.look_ahead();
    }
  }

  Worker worker_;
  base::Ring<proto::TaskId> resumable_;  // whose waits are over
  std::optional<proto::TaskId> running_;
};

}  // namespace myr::sched
