// SPDX-License-Identifier: Apache-2.0
//
// Timeline: what one worker, or one scheduler of a tree machine, did when. It writes that while the
// program runs; the writers of files read it when all are at rest.
//
// Invariants
//   1. runs() are in the order of their beginnings; two of them are disjoint, or one is inside the
//      other: a task that waits runs others meanwhile.
//   2. spans() are in the order of time and disjoint.
// Limit: `events_max` runs, spans and steals together. What comes later is counted, not kept; so
// the timeline is complete up to some moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "base/contract.hpp"
#include "myr/myr.h"
#include "trace/task_id.hpp"

namespace myr::trace {

enum class State : std::uint8_t {
  Task,     // in a task's body, or in main
  Runtime,  // in a call of the interface, or between two tasks; a scheduler's: scheduling
  Memory,   // of a scheduler: allocating, freeing, trading pages
  Wait,     // for an answer, or for the data of the next task
  Idle,     // looking for work
  Asleep,
};

// Whose timeline it is.
struct Track {
  enum class Kind : std::uint8_t { Main, Worker, Scheduler };  // Main: the worker that runs main
  std::string name;
  Kind kind = Kind::Worker;
};
// The tracks of so many workers, of which the first runs main.
[[nodiscard]] std::vector<Track> worker_tracks(unsigned count);

// From the call of a task's body to its return, or a part of it: a worker may leave the stack of a
// task that waits, and come back.
struct TaskRun {
  std::uint64_t begin_ticks;
  std::uint64_t end_ticks;
  TaskId task;
  const myr_site* site;  // where it was spawned, or nullptr
};

struct StateSpan {
  std::uint64_t begin_ticks;
  std::uint64_t end_ticks;
  State state;
};

struct Steal {
  std::uint64_t ticks;
  unsigned victim;  // the worker that the tasks were taken from
  unsigned task_count;
};

// All but Task and Runtime, or all states: a task that spawns changes between these two all the
// time. A scheduler has no tasks to show instead, so all of its states are kept.
enum class Detail { Waits, AllStates };

// What a timeline has, for a copy of it in another process.
struct Recorded {
  std::deque<TaskRun> runs;
  std::deque<StateSpan> spans;
  std::deque<Steal> steals;
  std::uint64_t dropped = 0;
  std::uint64_t full_ticks = 0;
};

class alignas(base::kCacheLine) Timeline {
 public:
  static constexpr std::size_t kEventsMax = 1'000'000;

  Timeline(Track track, Detail detail, std::size_t events_max = kEventsMax)
      : track_(std::move(track)), detail_(detail), events_max_(events_max) {}

  [[nodiscard]] const Track& track() const noexcept { return track_; }
  [[nodiscard]] Detail detail() const noexcept { return detail_; }
  // Takes the place of what has been written here.
  void set(Recorded recorded);

  MYR_COLD void begin_task(std::uint64_t ticks, TaskId task, const myr_site* site);
  // Ends the task that began last and has not ended.
  MYR_COLD void end_task(std::uint64_t ticks);
  // Ends all that have not ended, for they stay on a stack that the worker leaves; begin_again()
  // when it comes back.
  struct Open {
    TaskRun* run;  // nullptr: dropped
    TaskId task;
    const myr_site* site;
  };
  [[nodiscard]] MYR_COLD std::vector<Open> end_all(std::uint64_t ticks);
  MYR_COLD void begin_again(std::uint64_t ticks, const std::vector<Open>& tasks);
  // The worker was in `state`. A span that goes on where the last one ended is made one with it.
  MYR_COLD void add_span(const StateSpan& span);
  MYR_COLD void add_steal(const Steal& steal);

  [[nodiscard]] const std::deque<TaskRun>& runs() const noexcept { return runs_; }
  [[nodiscard]] const std::deque<StateSpan>& spans() const noexcept { return spans_; }
  [[nodiscard]] const std::deque<Steal>& steals() const noexcept { return steals_; }
  // Events that came when the timeline was full, and when that was.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }
  [[nodiscard]] std::uint64_t full_ticks() const noexcept { return full_ticks_; }

 private:
  [[nodiscard]] bool make_room(std::uint64_t ticks) noexcept;

  Track track_;
  Detail detail_;
  std::size_t events_max_;
  // Deques grow without copying, which would show as a pause of the program.
  std::deque<TaskRun> runs_;
  std::deque<StateSpan> spans_;
  std::deque<Steal> steals_;
  std::vector<Open> open_;  // tasks that have not ended, outermost first
  std::uint64_t dropped_ = 0;
  std::uint64_t full_ticks_ = 0;
};

}  // namespace myr::trace
