// SPDX-License-Identifier: Apache-2.0
//
// TaskMemory: what the tasks of one worker do with application memory, on a chip whose cores share
// it through caches that are not coherent (transport/sim/scc). As on the machine with a master, the
// worker invalidates its caches before a task and flushes them after it.
//
// The bytes that a task has declared are exchanged around it, so that it sees what its core would
// (core_memory.hpp). That is done for tasks that work all by themselves: what a task spawns may run
// beside it, on other cores, and what one with a region frees may be somebody else's soon; for
// these only time counts.
//
// Threads: the chip's.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "cluster/spread_task.hpp"
#include "transport/sim/scc/core_memory.hpp"

namespace myr::cluster::sim {

namespace scc = transport::sim::scc;

class TaskMemory {
 public:
  TaskMemory(scc::CoreNumber core, const scc::MemoryMap& map) : core_(core), caches_(map) {}

  [[nodiscard]] scc::CoreNumber core() const noexcept { return core_; }

  // The task's body is about to be called.
  void begin(const SpreadTask& task, std::span<const myr_access> accesses);
  // It spawns or waits: from now on others are between it and memory.
  void share(const SpreadTask& task) { uses_[&task].is_alone = false; }
  void work(const SpreadTask& task, transport::sim::Cycles cycles) { uses_[&task].work += cycles; }
  // What it has computed since the last call.
  [[nodiscard]] transport::sim::Cycles take_work(const SpreadTask& task);
  // It goes through memory. A task that never says so goes once through all that it has declared,
  // if it works all by itself.
  void touch(const SpreadTask& task, const scc::Extent& extent) {
    uses_[&task].touched.push_back(extent);
  }
  // Its body has returned. What it did takes as long as this walk; then the flush.
  [[nodiscard]] scc::BurstWalk end(const SpreadTask& task);
  [[nodiscard]] scc::BurstWalk flush();

 private:
  struct Uses {
    std::vector<scc::Extent> declared;
    std::vector<scc::Extent> touched;
    transport::sim::Cycles work = 0;
    bool is_alone = true;
    bool may_free = false;  // some of what it has declared
  };

  scc::CoreNumber core_;
  scc::CoreMemory caches_;
  std::unordered_map<const SpreadTask*, Uses> uses_;  // of tasks that have begun and not ended
};

}  // namespace myr::cluster::sim
