// SPDX-License-Identifier: Apache-2.0
//
// StepRecorder: what main's context keeps of the step that main marks (myr_recording): its spawns,
// to compare each of the next run with. Runs that follow each other directly are told to the top
// scheduler as a whole (sched::StepKeeper, ADR 88); so the spawns of a run are kept until its end.
//
// Threads: main's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/step_record.hpp"
#include "proto/messages.hpp"

namespace myr::cluster {

class StepRecorder {
 public:
  // A step begins. REQUIRES: is_of(record), or leave() was called; not in a step.
  void begin(std::unique_ptr<base::StepRecord>& record);
  [[nodiscard]] bool is_in_step() const noexcept { return is_in_step_; }
  [[nodiscard]] bool is_in(const base::StepRecord* record) const noexcept {
    return is_in_step_ && record == record_ && record != nullptr;
  }
  // REQUIRES: is_in(). What the top is told: that the first run was recorded, or that the step came
  // again; nothing: the record is of no use, see leave().
  enum class Ended { Recorded, Again, Otherwise };
  [[nodiscard]] Ended end();
  // Is the record of any use? Not if its step is not the last one, or something came behind it.
  [[nodiscard]] bool is_of(const base::StepRecord* record) const noexcept {
    return state_ != State::None && record == record_ && record != nullptr;
  }

  [[nodiscard]] bool is_comparing() const noexcept { return state_ == State::Comparing; }
  // The next spawn, of any purpose. False: it is not the recorded one, so what was kept is to be
  // sent first; that is for the caller to do.
  [[nodiscard]] bool fits(const proto::Task& spawn) const;
  // REQUIRES: fits(). The task, if it is to be sent now: it is part of the first run.
  [[nodiscard]] proto::TaskPtr take(proto::TaskPtr spawn);

  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  // What a run is told as; and what holds the step's memory meanwhile, before the first one.
  [[nodiscard]] bool is_held() const noexcept { return is_held_; }
  void fill_unit(proto::Task& unit);
  [[nodiscard]] proto::StepRun take_run();

  // Something else comes. Returns the spawns that were kept; `step`: the number of the step that is
  // over by that, 0: there is none.
  [[nodiscard]] std::vector<proto::TaskPtr> leave(std::uint32_t& step);

 private:
  enum class State : std::uint8_t { None, Recording, Recorded, Comparing };
  struct Record final : base::StepRecord {
    unsigned misses = 0;  // times in a row that it was recorded for nothing
  };
  static constexpr unsigned kMissesMax = 4;

  State state_ = State::None;
  bool is_in_step_ = false;
  bool is_held_ = false;
  Record* record_ = nullptr;
  std::uint32_t number_ = 0;  // of the step; no other has it
  std::vector<std::unique_ptr<const proto::Task>> recorded_;
  std::vector<proto::TaskPtr> kept_;
};

}  // namespace myr::cluster
