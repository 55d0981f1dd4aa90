// SPDX-License-Identifier: Apache-2.0
//
// Worker: one worker of a tree machine, as an event handler like Scheduler. It runs tasks one at a
// time, in the order in which they came; while one runs, the data of the next is on its way. A task
// that waits leaves the worker to others, and goes on before new ones begin.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ring.hpp"
#include "proto/messages.hpp"
#include "sched/step_works.hpp"
#include "sched/topology.hpp"

namespace myr::sched {

// What a worker needs of the world. Functions return before what they begin has happened.
class Hands {
 public:
  Hands() = default;
  Hands(const Hands&) = delete;
  Hands& operator=(const Hands&) = delete;

  // Brings the pieces that other workers have written; then: Worker::fetched().
  virtual void fetch(const proto::Work& work) = 0;
  // Begins the task; in the end: Worker::ended(). It may come to waits between: Worker::waits().
  virtual void begin(const proto::Work& work) = 0;
  // Goes on after a wait.
  virtual void go_on(proto::TaskId task) = 0;
  // Sends that to the scheduler. A task in it will not begin here, and its pieces are not wanted
  // any more.
  virtual void give_back(proto::GivenBack answer) = 0;
  // To what the running task has asked a scheduler.
  virtual void take_answer(proto::RegionMade answer) = 0;
  virtual void take_answer(proto::Allocated answer) = 0;

 protected:
  ~Hands() = default;
};

class Worker {
 public:
  // `prefetch`: how many tasks' data is fetched ahead of the running one.
  Worker(Hands& hands, AgentId self, unsigned prefetch) noexcept
      : hands_(hands), self_(self), prefetch_(prefetch) {}

  // Main has begun elsewhere.
  void start_main(proto::TaskId main) { running_ = main; }

  void receive(proto::Message&& message);
  void fetched(proto::TaskId task);
  void waits(proto::TaskId task);
  void ended(proto::TaskId task);

  [[nodiscard]] bool is_idle() const noexcept { return !running_ && queue_.empty(); }

 private:
  void handle(proto::Execute& message);
  void handle(proto::WaitOver& message);
  void handle(proto::GiveBack& message);
  void handle(proto::Replay& message);
  struct Waiting {
    proto::Work work;
    bool is_fetching = false;
    bool is_fetched = false;
  };
  void fetch_ahead();
  void run_next();
  void answer_requests();
  [[nodiscard]] bool answer(AgentId top);

  Hands& hands_;
  AgentId self_;
  unsigned prefetch_;
  base::Ring<Waiting> queue_;
  base::Ring<proto::TaskId> resumable_;   // waits that are over
  std::vector<proto::TaskId> returning_;  // the same, but their data is still on its way
  std::optional<proto::TaskId> running_;
  // Of tasks to be given back, for which of the schedulers above; at most one for each.
  std::vector<AgentId> requests_;
  StepWorks steps_;
};

}  // namespace myr::sched
