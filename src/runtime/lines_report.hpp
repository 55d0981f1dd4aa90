// SPDX-License-Identifier: Apache-2.0
//
// What --stats tells by lines of the program: which tasks take the time, where main is while
// workers have nothing to do, and what would help.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/line_times.hpp"

namespace myr::runtime {

// The tasks of all workers. Times in nanoseconds, the largest first.
struct LinesReport {
  struct Tasks {
    std::string place;  // where they are spawned
    std::uint64_t count = 0;
    double ns = 0;  // in their bodies
    double longest_ns = 0;
  };
  struct Idle {
    std::string place;  // where main was meanwhile: "waited at ..."
    double ns = 0;
  };
  std::vector<Tasks> tasks;
  std::vector<Idle> idle;
  double main_ns = 0;
  double runtime_ns = 0;
  std::vector<std::string> verdicts;  // sentences

  [[nodiscard]] double tasks_ns() const;
  [[nodiscard]] double idle_ns() const;
  [[nodiscard]] double total_ns() const { return main_ns + runtime_ns + tasks_ns() + idle_ns(); }
};

// `has_schedulers`: these know what a worker's time in the runtime is for.
[[nodiscard]] LinesReport report_lines(const std::vector<const engine::LineTimes*>& workers,
                                       double ns_per_tick, bool has_schedulers);

// A table for people, on stderr.
void print(const LinesReport& report);
// Members of an object, behind others, on stderr: "lines", "idle", "verdicts".
void print_as_json(const LinesReport& report);

}  // namespace myr::runtime
