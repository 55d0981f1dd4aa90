// SPDX-License-Identifier: Apache-2.0
//
// Master: the core of paper 3's runtime that runs the main program, orders the tasks that it spawns
// by the blocks of memory that they use, and gives those that are ready to workers.
//
// While the program runs, spawn() gives a ready task to the next worker if its ring has room, and
// else keeps it: it blocks for nothing but a descriptor. While the program waits, the master polls:
// it gives ready tasks away, looks for completed ones, and releases them. Completed tasks that it
// has found wait in a queue until it has nothing better to do.
//
// Pure except for its core, which is on a simulated chip or a thread of this computer.
//
// Threads: main's.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "cluster/master/master_core.hpp"
#include "deps/block_table.hpp"

namespace myr::cluster::master {

struct MasterUsage {
  std::uint64_t spawned = 0;
  std::uint64_t blocks = 0;  // of the tasks
  std::uint64_t kept = 0;    // ready tasks for which the ring had no room
};

class Master {
 public:
  Master(MasterCore& core, unsigned workers);

  [[nodiscard]] const MasterUsage& usage() const noexcept { return usage_; }
  // Calls visit(block, other) for each block that the task waits for, and each task there.
  template <class Visit>
  void for_conflicts(std::uint32_t task, Visit visit) const {
    table_.for_conflicts(task, [&](std::uint64_t block, deps::TaskId other) {
      visit(block, static_cast<std::uint32_t>(other));
    });
  }
  [[nodiscard]] std::size_t unfinished() const noexcept { return table_.size(); }
  // Takes those that are completed. Returns whether there were any.
  bool poll_workers();
  // Has the task been spawned, and has not been found to be completed?
  [[nodiscard]] bool is_unfinished(std::uint32_t task) const;

  // A number for a task, until it has been released, and of the first part of a loop until all
  // have. Polls if there is none; kNoTask: there never will be (tests only: see Care).
  static constexpr std::uint32_t kNoTask = 0xffffffff;
  [[nodiscard]] std::uint32_t take_descriptor();
  // Where each worker is: from now on a task that has a place goes to a worker there.
  void set_places(std::vector<std::uint8_t> places) { places_ = std::move(places); }
  static constexpr std::uint8_t kAnyPlace = 0xff;
  // Tasks that come after all others and use these blocks together: a task, or the parts of a loop.
  // `accesses`: that each has; `place`: of what they use. REQUIRES: there are workers.
  void spawn(std::span<const std::uint32_t> tasks, std::uint32_t accesses,
             std::span<const deps::BlockAccess> blocks, std::uint8_t place = kAnyPlace);
  // Returns when the program may use these itself. False: never.
  [[nodiscard]] bool wait(std::span<const deps::BlockAccess> blocks);
  [[nodiscard]] bool wait_all();

 private:
  struct Ring {
    std::uint32_t next = 0;       // the entry that gets the next task
    std::uint32_t oldest = 0;     // the first one whose task is not known to be completed
    std::uint32_t under_way = 0;  // entries from there on
  };
  struct Descriptor {
    std::uint32_t accesses = 0;
    std::uint8_t place = kAnyPlace;
    bool is_spawned = false;            // and not released
    std::uint32_t holder = kNoTask;     // the task that stands in the lists for this one
    std::uint32_t next_part = kNoTask;  // behind it, with the same holder
    std::uint32_t blocks = 0;           // of a holder
    std::uint32_t parts_left = 0;       // of a holder: not released, with itself
  };

  [[nodiscard]] unsigned worker_count() const noexcept {
    return static_cast<unsigned>(rings_.size());
  }
  void take_completed(Ring& ring, std::uint32_t task);
  [[nodiscard]] bool collect(unsigned worker);
  [[nodiscard]] bool append(unsigned worker, std::uint32_t task);
  [[nodiscard]] bool give_away_ready();
  [[nodiscard]] unsigned take_turn();
  [[nodiscard]] unsigned worker_for(std::uint32_t task);
  void note_ready(std::uint32_t holder);
  void release_one();
  template <class Done>
  [[nodiscard]] bool poll_until(Done done);

  MasterCore& core_;
  deps::BlockTable table_;
  std::vector<Descriptor> descriptors_;
  std::vector<std::uint32_t> unused_;
  std::vector<Ring> rings_;
  unsigned next_worker_ = 0;
  std::vector<std::uint8_t> places_;
  std::deque<std::uint32_t> ready_;
  std::deque<std::uint32_t> completed_;
  std::vector<deps::TaskId> released_;
  MasterUsage usage_;
};

}  // namespace myr::cluster::master
