// SPDX-License-Identifier: Apache-2.0
//
// Replay: the state of one recording (myr_recording) on the engine: its recorded step, which run of
// it is under way, and what the domain of the spawning task has not been told yet.
//
// A replayed task is in no domain. Its edges are: those to tasks of its step, from the record;
// those to the run before, from the record, if nothing was in between; else those to what the
// domain knows. Before it is asked, the domain is told of the replayed tasks that are alive
// (enter_replayed()).
//
// Threads: the one that runs the owner. Nodes of the step: see replay_node.hpp.
#pragma once

#include <array>
#include <cstdint>

#include "base/contract.hpp"
#include "base/step_record.hpp"
#include "graph/recorded_step.hpp"

namespace myr::graph {

struct Replay final : base::StepRecord {
  enum class Mode : std::uint8_t {
    Idle,       // between two steps
    Recording,  // spawns are analysed and noted
    Replaying,  // they are compared, and go on without analysis
    Analysing,  // they are analysed, for the rest of the step
  };

  std::uint64_t engine = 0;   // which one: see Engine::number()
  TaskRef owner;              // spawns the step
  const myr_site* site = {};  // of the step that is under way
  Mode mode = Mode::Idle;
  bool is_recorded = false;  // there is a whole step; perhaps without edges yet
  bool is_unfit = false;     // steps like that cannot be replayed

  RecordedStep step;
  ReplayNode* nodes = nullptr;     // of the lap
  std::uint32_t next = 0;          // of the step: the next spawn
  std::uint32_t count = 0;         // of the step: how many there were
  std::uint32_t settled = 0;       // from here to the next one, tasks ran at once: see settle()
  std::uint32_t lap = 0;           // of the step
  std::uint32_t fresh_laps = 0;    // runs before this one that the domain does not know of
  std::uint32_t checked_laps = 0;  // runs from now on that have to look into the domain

  // Tasks of a lap before this index are in the domain already.
  std::array<std::uint32_t, RecordedStep::kLapsMax> entered{};

  // Is it the recorded spawn that comes next?
  [[nodiscard]] MYR_INLINE bool is_next(Task& task, const RegionSpace& space) const {
    return next != count && step.matches(nodes[next], task, space);
  }
  // A spawned task whose siblings have all ended is to run at once. Is it the recorded one? Mostly
  // it has ended when the next one is spawned, so nothing need be noted of it, nor its node be
  // looked at.
  [[nodiscard]] MYR_INLINE bool begin_at_once(Task& task, const RegionSpace& space) {
    if (mode != Mode::Replaying || next == count) return false;
    if (!step.matches(nodes[next], task, space)) return false;
    next += 1;
    return true;
  }
  // Brings the nodes up to the next one to where they would be if each task had counted its
  // successors off. To be called before a task of the lap is alive when the next one is spawned.
  void settle() noexcept {
    for (; settled != next; ++settled) {
      ReplayNode& node = nodes[settled];
      node.waiting->rearm(node.arrivals);
      node.count_off_successors_alone(next - settled);
    }
  }

  // The same, when the last one turns out to be still alive. Its own count is not used any more.
  void settle_all_but_last() noexcept {
    next -= 1;
    settle();
    next += 1;
    nodes[settled].waiting->rearm(nodes[settled].arrivals);
    settled = next;
  }

  // The lap of so many runs ago.
  [[nodiscard]] std::uint32_t lap_before(std::uint32_t runs) const noexcept {
    return (lap + step.lap_count() - runs) % step.lap_count();
  }
  [[nodiscard]] bool has_borders() const noexcept { return fresh_laps != 0 || checked_laps != 0; }

  // All tasks that its owner has spawned have ended: nothing need be known of them any more.
  void all_ended() noexcept {
    fresh_laps = 0;
    checked_laps = 0;
    entered[lap] = next;
  }
};

}  // namespace myr::graph
