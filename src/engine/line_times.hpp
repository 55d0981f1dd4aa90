// SPDX-License-Identifier: Apache-2.0
//
// LineTimes: what --stats tells of one worker by lines of the program: the time in the tasks that
// were spawned at each, and without work while main was at each.
//
// Threads: the worker writes; read when all workers are at rest.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/main_place.hpp"
#include "myr/myr.h"

namespace myr::graph {
struct Task;
}

namespace myr::engine {

class LineTimes {
 public:
  struct Line {
    std::uint64_t tasks = 0;
    std::uint64_t ticks = 0;  // in their bodies
    std::uint64_t longest_ticks = 0;
  };
  // By site; nullptr: unknown.
  using Lines = std::unordered_map<const myr_site*, Line>;

  // Its worker runs main.
  void have_main() noexcept { has_main_ = true; }

  void begin(const graph::Task& task);
  void end(const graph::Task& task);
  // How long it has run since it was begun, or since the last call. Also for main.
  void add(const graph::Task& task, std::uint64_t ticks);
  void add_runtime(std::uint64_t ticks) noexcept { runtime_ticks_ += ticks; }
  // It has had nothing to do: for a moment; since it was about to sleep.
  void add_idle(std::uint64_t ticks);
  void about_to_sleep() { main_before_ = MainPlace::times(); }
  void add_sleep(std::uint64_t ticks);

  [[nodiscard]] const Lines& lines() const noexcept { return lines_; }
  // Ticks, by the number of main's place.
  [[nodiscard]] const std::vector<double>& idle() const noexcept { return idle_; }
  [[nodiscard]] std::uint64_t main_ticks() const noexcept { return main_ticks_; }
  [[nodiscard]] std::uint64_t runtime_ticks() const noexcept { return runtime_ticks_; }

 private:
  // Bodies that have begun and not ended, the innermost behind; those of tasks that were left lie
  // between them.
  struct Open {
    const graph::Task* task;
    Line* line;
    std::uint64_t ticks;
  };
  [[nodiscard]] std::vector<Open>::iterator find(const graph::Task& task);
  [[nodiscard]] double& idle_at(std::size_t place);

  Lines lines_;
  std::vector<double> idle_;
  std::vector<std::uint64_t> main_before_;  // its times when the worker was about to sleep
  bool has_main_ = false;
  Place main_was_at_;  // when it began to run a task itself
  std::vector<Open> open_;
  std::uint64_t main_ticks_ = 0;
  std::uint64_t runtime_ticks_ = 0;
};

}  // namespace myr::engine
