// SPDX-License-Identifier: Apache-2.0
//
// What threads of a runtime cost while they have nothing to do, and how soon they begin when they
// have. Each program of bench/busy supplies a Team and calls run_waiting().
#pragma once

#include <cstdint>

namespace myr::bench {

class Team {
 public:
  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  virtual ~Team() = default;

  // Gives another thread something to do. Returns when that thread began, in now_ns().
  [[nodiscard]] virtual std::int64_t call() = 0;
};

// Measures and prints one line of JSON each: how long until another thread begins, after pauses of
// 1 ms and of 300 ms, and processor seconds a second of the whole process while main sleeps.
// Returns the program's exit status.
[[nodiscard]] int run_waiting(const char* runtime, unsigned threads, Team& team);

// The option --threads; on a mistake, or for --help, prints and ends the program.
[[nodiscard]] unsigned parse_threads(int argc, char** argv);

}  // namespace myr::bench
