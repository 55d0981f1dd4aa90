// SPDX-License-Identifier: Apache-2.0
//
// Stayed: the tasks that a process has spawned, and those of them that no other one could run, by
// the lines of their spawns. Where they are most, the program hardly runs in parallel, and its user
// is told why.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "myr/myr.h"

namespace myr::cluster::mpi {

class Stayed {
 public:
  enum class Why : std::uint8_t { MoreThanBytes, InKeptRegion, CannotTravel };

  void note_task() noexcept { task_count_ += 1; }
  void note(Why why, const myr_site* site) {
    count_ += 1;
    by_line_[{why, site}] += 1;
  }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  // A sentence for the end of a run; empty if there is nothing to say.
  [[nodiscard]] std::string warning() const;

 private:
  std::uint64_t task_count_ = 0;
  std::uint64_t count_ = 0;
  std::map<std::pair<Why, const myr_site*>, std::uint64_t> by_line_;
};

}  // namespace myr::cluster::mpi
