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
#include "myr/myr.h"
#include "proto/messages.hpp"

namespace myr::cluster {

class StepRecorder {
 public:
  // What main's context does for it.
  class Main {
   public:
    Main() noexcept = default;
    Main(const Main&) = delete;
    Main& operator=(const Main&) = delete;

    // To the top scheduler.
    virtual void tell(proto::Body message) = 0;
    virtual void send_spawn(proto::Spawn spawn) = 0;
    // A task, to be made into the one that holds the memory of the step that ends there.
    [[nodiscard]] virtual proto::TaskPtr make_unit(const myr_site* site) = 0;
    // To the top. Main waits then, if the run says so.
    virtual void tell_run(proto::StepRun run) = 0;
    // The spawn was compared with the one in the record.
    virtual void compared(const proto::Task&) {}

   protected:
    ~Main() = default;
  };

  // `waits`: main tells no more runs ahead than a program that repeats a step for ever can. It then
  // waits for tasks that come before in the serial program. So nothing that these need may come
  // from main later: an event that main completes then would keep the serial program waiting, too.
  StepRecorder(Main& main, bool waits) noexcept : main_(main), waits_(waits) {}

  // A step begins. One in a step is part of the outer one.
  void begin(std::unique_ptr<base::StepRecord>& record);
  [[nodiscard]] bool is_in_step() const noexcept { return is_in_step_; }
  [[nodiscard]] bool is_in(const base::StepRecord* record) const noexcept {
    return is_in_step_ && record == record_ && record != nullptr;
  }
  // REQUIRES: is_in().
  void end(const myr_site* site);
  // The record is about to be deleted. REQUIRES: not in a step of it.
  void forget(const base::StepRecord* record);

  // All that main spawns for schedulers, of any purpose, goes through here.
  void issue(proto::TaskPtr spawn);
  // Main does something that is not in the record of its step.
  void leave();

 private:
  enum class State : std::uint8_t { None, Recording, Recorded, Comparing };
  struct Record final : base::StepRecord {
    unsigned misses = 0;  // times in a row that it was recorded for nothing
  };
  static constexpr unsigned kMissesMax = 4;
  static constexpr std::size_t kSpawnsMax = std::size_t{1} << proto::kStepTaskBits;

  [[nodiscard]] bool is_of(const base::StepRecord* record) const noexcept {
    return state_ != State::None && record == record_ && record != nullptr;
  }
  [[nodiscard]] bool fits(const proto::Task& spawn) const;
  void fill_unit(proto::Task& unit);
  void tell_run();

  Main& main_;
  const bool waits_;
  State state_ = State::None;
  bool is_in_step_ = false;
  bool is_held_ = false;
  Record* record_ = nullptr;
  std::uint32_t number_ = 0;     // of the step; no other has it
  std::size_t tasks_ahead_ = 0;  // of runs that are told and have perhaps not begun
  std::vector<std::unique_ptr<const proto::Task>> recorded_;
  std::size_t range_count_ = 0;  // of these
  std::vector<proto::TaskPtr> kept_;
};

}  // namespace myr::cluster
