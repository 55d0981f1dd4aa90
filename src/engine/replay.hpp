// SPDX-License-Identifier: Apache-2.0
//
// Replay: the state of one recording (myr_recording) on the engine: its recorded step, which run of
// it is under way, and what the domain of the spawning task has not been told yet.
//
// A replayed task is in no domain. Its edges are: those to tasks of its step, from the record;
// those to the run before, from the record, if nothing was in between; else those to what the
// domain knows. Whoever asks the domain first tells it of the replayed tasks that are alive
// (enter_replayed()).
//
// Threads: the one that runs the owner. Nodes of the step: see replay_node.hpp.
#pragma once

#include <array>
#include <cstdint>

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
  std::uint32_t lap = 0;           // of the step
  std::uint32_t fresh_laps = 0;    // runs before this one that the domain does not know of
  std::uint32_t checked_laps = 0;  // runs from now on that have to look into the domain

  // Tasks of a lap that are in the domain already: those before this index.
  std::array<std::uint32_t, RecordedStep::kLapsMax> entered{};

  // Is it the recorded spawn that comes next?
  [[nodiscard]] bool is_next(Task& task, const RegionSpace& space) const {
    return next != count && step.matches(nodes[next], task, space);
  }
  // The lap so many runs ago.
  [[nodiscard]] std::uint32_t lap_before(std::uint32_t runs) const noexcept {
    return (lap + step.lap_count() - runs) % step.lap_count();
  }
  [[nodiscard]] bool has_borders() const noexcept { return fresh_laps != 0 || checked_laps != 0; }

  // All tasks have ended that its owner has spawned: nobody need know of them any more.
  void all_ended() noexcept {
    fresh_laps = 0;
    checked_laps = 0;
    entered[lap] = next;
  }
};

}  // namespace myr::graph
