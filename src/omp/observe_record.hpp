// SPDX-License-Identifier: Apache-2.0
//
// What one thread of an observed program records: sums by construct, and its timeline.
//
// Threads: its own thread writes; the one that reports at the end of the process closes it first.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "myr/myr.h"
#include "omp/observe.hpp"
#include "trace/timeline.hpp"

namespace myr::omp {

// A construct, and how often and how long it ran here.
struct Seen {
  const void* code = nullptr;
  Construct construct = Construct::Region;
  std::uint64_t times = 0;
  std::uint64_t ticks = 0;
  myr_site site{};  // filled when the process ends
};

// Open addressing. What finds no room is counted together.
struct SeenTable {
  static constexpr std::size_t kRoom = 4096;
  Seen seen[kRoom];
  Seen rest;

  [[nodiscard]] Seen& get(Construct construct, const void* code) noexcept;
};

struct ThreadRecord {
  std::mutex lock;  // taken by its thread for each change, and once to close
  bool is_closed = false;
  SeenTable table;
  trace::Timeline timeline;
  struct Open {
    Seen* seen;
    std::uint64_t begun;
  };
  std::vector<Open> open;  // constructs that have not ended, outermost first
  bool is_resting = false;
  trace::State rest = trace::State::Wait;
  std::uint64_t state_since;  // when it began to rest or to sleep, or to work
  std::uint64_t task_count = 0;
  unsigned number;
  ThreadRecord* next = nullptr;

  ThreadRecord(unsigned its_number, trace::Track track, std::uint64_t now);
};

// Is a timeline asked for? Else records keep none.
[[nodiscard]] bool wants_timelines() noexcept;
// The records of all threads, the newest first; each can be read once it is closed.
[[nodiscard]] ThreadRecord* all_records() noexcept;
// From now on its thread writes no more.
void close(ThreadRecord& record, std::uint64_t now);

}  // namespace myr::omp
