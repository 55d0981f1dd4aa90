// SPDX-License-Identifier: Apache-2.0
//
// StepPortions: at a scheduler of workers, what of the steps that main marks runs there. It notes
// where the tasks of the recorded run are placed, for the StepKeeper; and of a step that comes
// again it has its tasks with the number of those that each waits for. When that comes down to
// zero, the task goes to its worker: nothing is analysed, placed, or noted to lie elsewhere. Where
// workers share memory, it matters little where a task ran: it goes to the worker that has least to
// do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/small_vector.hpp"
#include "proto/messages.hpp"
#include "sched/link.hpp"
#include "sched/placer.hpp"

namespace myr::sched {

class StepPortions {
 public:
  // Places a task on one of the workers here.
  using Give = std::function<void(proto::Work)>;
  // `give`: empty: a task goes to the worker where it ran.
  StepPortions(Link& link, Placer& placer, Give give) noexcept
      : link_(link), placer_(placer), give_(std::move(give)) {}

  // A task of the recorded run is sent to its worker.
  void note(const proto::Work& work, proto::AgentId worker);

  void handle(proto::StepNoting& message);
  void handle(proto::StepPortion& message);
  void handle(proto::StepSealed& message);
  void handle(proto::StepBegin& message);
  void handle(proto::StepCount& message);
  void handle(proto::ReplayEnded& message);
  // The same of one that was placed. REQUIRES: proto::is_replayed().
  void ended(proto::TaskId task) {
    proto::ReplayEnded message{.task = task};
    handle(message);
  }

  [[nodiscard]] bool is_idle() const noexcept { return steps_.empty(); }

 private:
  static constexpr std::size_t kToldAtOnce = 16;  // tasks that are noted, if nobody asks

  struct Successor {
    proto::AgentId scheduler;  // elsewhere only of tasks without a worker
    std::uint32_t task;
  };
  struct Task {
    std::uint32_t spawn;
    proto::AgentId worker;
    std::uint32_t work = 0;             // of the worker's
    proto::Iterations iterations = {};  // if it is placed each time
    std::uint32_t predecessors = 0;
    std::uint32_t missing = 0;
    base::SmallVector<Successor, 2> links = {};

    [[nodiscard]] bool runs() const noexcept { return worker != proto::kNoAgent; }
  };
  struct Step {
    proto::StepNotes notes;
    bool is_wanted = false;  // are they?
    std::vector<Task> tasks = {};
    std::map<proto::AgentId, std::uint32_t> works = {};  // how many each worker has
    std::vector<proto::StepOpen> open = {};
    bool is_sealed = false;
    std::vector<std::uint32_t> firsts = {};  // wait for nobody
    std::size_t count = 0;                   // of those that run here
    // For the run that is under way:
    std::size_t left = 0;  // none: no run is
    bool has_spawned = false;
    proto::TaskId first_id = 0;
    proto::StepRuns runs = {};
    std::vector<proto::StepSpawn> spawns = {};
    proto::FailurePtr failure = nullptr;    // the first of its tasks'
    std::vector<std::uint32_t> early = {};  // counted before it has begun here
  };

  void tell(Step& step);
  void count_off(std::uint32_t number, Step& step, std::uint32_t task);
  void begin(const Step& step, std::uint32_t task);

  Link& link_;
  Placer& placer_;
  const Give give_;
  std::map<std::uint32_t, Step> steps_;
  std::map<proto::TaskId, std::uint32_t> running_;  // the first id of each run: the step
  std::uint64_t id_count_ = 0;
};

}  // namespace myr::sched
