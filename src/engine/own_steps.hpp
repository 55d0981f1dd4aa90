// SPDX-License-Identifier: Apache-2.0
//
// OwnSteps: finds out by itself that main repeats a step. What main spawns between two waits for
// all its children has a hash; when that is the same several times in a row, a recording is begun
// behind the next wait, as if the program had asked for one. The hash may err, since a recording is
// compared spawn by spawn.
//
// Threads: main's.
#pragma once

#include <cstdint>
#include <memory>

#include "base/step_record.hpp"
#include "graph/task.hpp"

namespace myr::engine {

class OwnSteps {
 public:
  // Main spawns a task that is analysed.
  void note(graph::Task& task) noexcept {
    const void* first = task.access_count == 0 ? nullptr : task.accesses()[0].address;
    hash_ = (hash_ ^ reinterpret_cast<std::uintptr_t>(first)) * kOdd + task.access_count;
    count_ += 1;
  }

  // Main has waited for all its children. True: what it spawns now is to be recorded, or replayed.
  [[nodiscard]] bool is_repeated() noexcept {
    if (has_broken_ || breaks_ == kBreaksMax) record.reset();
    has_broken_ = false;
    const bool is_same = hash_ == before_ && count_ >= kTasksMin && count_ <= kTasksMax;
    before_ = hash_;
    was_alone_ = count_ == 1;
    hash_ = count_ = 0;
    repeats_ = is_same ? repeats_ + 1 : 0;
    return breaks_ < kBreaksMax && (record != nullptr || repeats_ >= kRepeats);
  }

  // Main spawned one task before it waited, and none since.
  [[nodiscard]] bool is_alone_again() const noexcept { return was_alone_ && count_ == 0; }

  // The step was another one this time. Its record goes once its tasks have ended.
  void note_break() noexcept {
    breaks_ += 1;
    has_broken_ = true;
  }
  // The program says itself what its steps are.
  void give_up() noexcept { breaks_ = kBreaksMax; }

  std::unique_ptr<base::StepRecord> record;
  bool is_open = false;  // a run of the recorded step is under way

 private:
  static constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15;
  // Fewer tasks gain little; more take up much memory in a record.
  static constexpr std::uint64_t kTasksMin = 8;
  static constexpr std::uint64_t kTasksMax = 16'384;
  static constexpr unsigned kRepeats = 2;
  static constexpr unsigned kBreaksMax = 4;

  std::uint64_t hash_ = 0;    // of what main has spawned since the last wait
  std::uint64_t count_ = 0;   // of tasks
  std::uint64_t before_ = 0;  // the hash of what it had spawned between the two waits before
  bool was_alone_ = false;
  unsigned repeats_ = 0;
  unsigned breaks_ = 0;
  bool has_broken_ = false;
};

}  // namespace myr::engine
