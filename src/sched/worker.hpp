// SPDX-License-Identifier: Apache-2.0
//
// Worker: the worker's half of the tree protocol, as an event handler like Scheduler: what has come
// to be run, what of it may begin as its data is here, what another worker is to have, waits that
// are over, steps that are replayed, and answers to questions. All machines use it. It knows no
// threads and no clock: several threads call it under a lock.
//
// Invariants
//   1. From its arrival until take() gives it, or it is given back, a task is in one of waiting_,
//      fetching_ and here_.
//   2. Each GiveBack is answered once. Those that are not yet are in requests_.
//   3. A task that is given back does not begin here, and its pieces are not wanted any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "base/ring.hpp"
#include "proto/messages.hpp"
#include "sched/step_works.hpp"
#include "sched/topology.hpp"

namespace myr::sched {

// What a worker needs to know of data. As it is here: agents share memory, so all is everywhere.
class Data {
 public:
  using Ticket = std::uint64_t;

  Data() = default;
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  // Brings the pieces that other workers have written: for the task, or, if that is nullptr, for
  // one that has waited. True: nothing had to be brought. False: Worker::fetched() tells later.
  [[nodiscard]] virtual bool fetch(Ticket, const proto::Pieces&, const proto::Work* /*task*/) {
    return true;
  }
  // Another worker is to have the task, which has not begun. False: not yet; one that says so asks
  // again, by Worker::look_ahead().
  [[nodiscard]] virtual bool give_up(const proto::Work& /*task*/) { return true; }

 protected:
  ~Data() = default;
};

// What a worker needs of the rest of its node.
class Hands {
 public:
  Hands() = default;
  Hands(const Hands&) = delete;
  Hands& operator=(const Hands&) = delete;

  // To the scheduler above, which has asked.
  virtual void give_back(proto::GivenBack answer) = 0;
  // take() has one task more to give.
  virtual void task_is_here() = 0;
  // The wait of the task is over, and what it waited for is here. `failure`: what it may take.
  virtual void end_wait(proto::TaskId task, proto::FailurePtr failure) = 0;
  // To what a running task has asked a scheduler.
  virtual void take_answer(proto::RegionMade answer) = 0;
  virtual void take_answer(proto::Allocated answer) = 0;
  // Only processes ask these questions.
  virtual void take_answer(proto::Lent answer);
  virtual void take_answer(proto::Described answer);

 protected:
  ~Hands() = default;
};

class Worker {
 public:
  using Ticket = Data::Ticket;

  struct Options {
    static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
    // More data is not fetched while it is here, or on its way, for so many tasks.
    std::size_t tasks_ahead = kNoLimit;
    // Only for tasks of steps that are replayed: others are fetched for as they come.
    bool only_replays_wait = false;
    // Tasks begin as they have come, not as their data has.
    bool keeps_order = false;
  };

  Worker(Hands& hands, Data& data, AgentId self, const Options& options) noexcept
      : hands_(hands), data_(data), self_(self), options_(options) {}

  void receive(proto::Body& body);
  // What the ticket stands for is here. Not from within Data::fetch().
  void fetched(Ticket ticket);
  // The next task to begin. Where data is fetched, look_ahead() comes next.
  [[nodiscard]] std::optional<proto::Work> take();
  // Fetches for more tasks, and answers what can be answered.
  void look_ahead();

  // Has it tasks that have not begun?
  [[nodiscard]] bool has_tasks() const noexcept {
    return has_task_here() || !fetching_.empty() || !waiting_.empty();
  }
  [[nodiscard]] bool has_task_here() const noexcept { return !here_.empty(); }
  [[nodiscard]] bool has_requests() const noexcept { return !requests_.empty(); }
  // How many of the tasks that were taken were replayed ones of steps.
  [[nodiscard]] std::uint64_t replayed_count() const noexcept { return replayed_count_; }
  // nullptr, or what of the invariants does not hold. Cost: O(tasks).
  [[nodiscard]] const char* broken_invariant() const;

 private:
  struct Fetching {
    proto::Work work;
    bool is_here = false;  // with `keeps_order`: only others, that came before, are not
  };
  struct Returning {
    proto::TaskId task;
    proto::FailurePtr failure;
  };
  // To be run; `is_brought`: from another worker.
  struct Here {
    proto::Work work;
    bool is_brought = false;
  };

  void handle(proto::Execute& message);
  void handle(proto::Replay& message);
  void handle(proto::WaitOver& message);
  void handle(const proto::GiveBack& message);
  void fetch_more();
  void fetch(proto::Work&& work);
  void is_here(proto::Work&& work, bool is_brought);
  void note_here(std::map<Ticket, Fetching>::iterator arrived);
  void answer_requests();
  [[nodiscard]] bool answer(AgentId top);
  enum class Found : std::uint8_t { Nothing, Later, Task };
  [[nodiscard]] Found find_for(AgentId top, proto::Work& given);
  [[nodiscard]] Found give_waiting(AgentId top, proto::Work& given);
  [[nodiscard]] Found give_here(AgentId top, proto::Work& given);

  Hands& hands_;
  Data& data_;
  const AgentId self_;
  const Options options_;
  base::Ring<proto::Work> waiting_;      // for others, before their data is fetched; in order
  std::map<Ticket, Fetching> fetching_;  // in order
  base::Ring<Here> here_;                // in the order in which they begin
  std::map<Ticket, Returning> returning_;
  // Which of the schedulers above have asked for tasks to be given back; each at most once.
  std::vector<AgentId> requests_;
  StepWorks steps_;
  Ticket next_ticket_ = 0;
  std::uint64_t replayed_count_ = 0;
};

}  // namespace myr::sched
