// SPDX-License-Identifier: Apache-2.0
//
// StepKeeper: at the top scheduler, the steps that main marks (myr_recording), as ADR 88 has it.
//
// The first run of a step is analysed as always, and noted: its spawns here, where each task runs
// by the schedulers of workers. While it is under way the top finds out which tasks each task waits
// for, and gives each of these schedulers its portion of the step. When main says that the same
// step comes again, directly behind, it becomes one unit: a task without a body, of purpose Hold,
// enters the queues for all that the step uses, and while it holds that, runs follow each other
// without any analysis. When something else comes from main, that is behind the unit in the queues,
// which ends after the last run.
//
// A step that does not fit is spawned by the unit, task by task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "proto/messages.hpp"
#include "sched/link.hpp"
#include "sched/placer.hpp"
#include "sched/step_edges.hpp"

namespace myr::sched {

class StepKeeper {
 public:
  StepKeeper(Link& link, Placer& placer) noexcept : link_(link), placer_(placer) {}

  // A spawn of the run that is recorded.
  void note_spawn(const proto::Task& spawn);
  // The unit holds what the step uses.
  void granted(const proto::Task& unit);

  void handle(proto::StepRecorded& message);
  void handle(proto::StepRun& message);
  void handle(proto::StepClose& message);
  void handle(proto::StepUnfit& message);
  void handle(proto::StepAnalyse& message);
  void handle(proto::StepNotes& message);
  void handle(proto::StepShare& message);
  void handle(proto::StepSeal& message);
  void handle(proto::StepOver& message);

  [[nodiscard]] bool is_idle() const noexcept { return steps_.empty(); }

  static constexpr std::size_t kTasksMax = 1 << proto::kStepTaskBits;
  // Tasks that are analysed, or put into portions, with no look at messages between; and those of a
  // portion that are told at once, about.
  static constexpr std::uint32_t kAtOnce = 4;
  static constexpr std::size_t kToldAtOnce = 16;

 private:
  static constexpr std::uint32_t kNobody = StepEdges::kNobody;
  struct Placed {
    proto::AgentId worker = proto::kNoAgent;
    std::span<const proto::Piece> pieces = {};
  };
  // The portion of one scheduler of workers.
  struct Portion {
    std::uint32_t task_count = 0;
    std::vector<std::uint32_t> awaited = {};  // writers of its open pieces, some of them twice
    std::vector<std::uint32_t> spawns = {};   // that are told, in order
    std::map<std::uint32_t, std::uint32_t> standing_for = {};  // tasks elsewhere: who does so
    proto::StepPortion untold = {};

    std::uint32_t add(const proto::StepTask& task);
  };
  struct Place {
    proto::AgentId scheduler;
    std::uint32_t task;  // of its portion
  };
  struct Step {
    std::vector<proto::Task> spawns;
    std::vector<std::uint32_t> first{0};  // task, of each spawn; and how many there are
    bool is_fit = true;
    bool is_analysed = false;
    bool is_whole = false;                         // it has come again
    bool is_sealed = false;                        // all its tasks are in a portion
    bool is_shared = false;                        // and the portions are told
    StepEdges edges;                               // of the tasks that have been analysed
    std::uint32_t analysed = 0;                    // spawns
    bool is_sharing = false;                       // some more are put off
    std::vector<std::vector<proto::Piece>> noted;  // what `placed` points to
    std::vector<Placed> placed;                    // by task
    std::vector<Place> places;  // of the tasks that are in a portion, in serial order
    std::uint32_t spawn = 0;    // of the last of these
    std::map<proto::AgentId, Portion> portions;
    proto::TaskId unit = 0;                          // once it holds
    std::deque<std::vector<proto::StepSpawn>> runs;  // that have not begun
    bool does_main_wait = false;                     // until fewer of them are left
    std::uint64_t run = 0;                           // the last one's number
    std::size_t running = 0;                         // portions, of the present run
    proto::FailurePtr failure = nullptr;             // the first of all runs
    bool is_closed = false;
    bool is_forgotten = false;  // by the others
  };

  [[nodiscard]] Step& step_of(std::uint32_t number) { return steps_.at(number); }
  // nullptr: it is over, or does not fit, so what is under way for it is for nothing.
  [[nodiscard]] Step* find_fit(std::uint32_t number);
  void tell_all(std::uint32_t number, proto::StepOrder order);
  void put_off_analysis(std::uint32_t number, const Step& step);
  static void analyse(const proto::Task& spawn, std::uint32_t part, StepEdges& edges);
  void share_known(std::uint32_t number, Step& step);
  void share(std::uint32_t number, Step& step, std::uint32_t task);
  static void add_pieces(Step& step, std::uint32_t task, Portion& portion);
  static void link(Step& step, std::uint32_t elder, std::uint32_t task);
  void tell(std::uint32_t number, proto::AgentId scheduler, Portion& portion);
  void go_on(std::uint32_t number);
  void begin_runs(std::uint32_t number, Step& step);
  void let_main_go_on(Step& step);
  void replay(std::uint32_t number, Step& step);
  void spawn_all(const Step& step, const std::vector<proto::StepSpawn>& run);
  void end(std::uint32_t number, Step& step);
  void forget(std::uint32_t number, Step& step);

  Link& link_;
  Placer& placer_;
  std::map<std::uint32_t, Step> steps_;
  std::uint64_t run_count_ = 0;  // of all steps
};

}  // namespace myr::sched
