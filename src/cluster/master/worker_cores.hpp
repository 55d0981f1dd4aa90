// SPDX-License-Identifier: Apache-2.0
//
// WorkerCores: the cores of the chip that run tasks, in virtual time. Each looks at the next entry
// of its ring; if there is a task, it invalidates its caches, runs it, flushes and marks the entry.
// What a task asks of memory goes to the controllers in bursts, each at its time, so that cores
// wait for each other there.
//
// A core that finds no task rests until somebody writes into its message buffer: looking again and
// again would find the same.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "cluster/master/protocol.hpp"
#include "transport/sim/scc/core_memory.hpp"
#include "transport/sim/scc/message_buffers.hpp"

namespace myr::cluster::master {

// What tasks are, for those who run them.
class Bodies {
 public:
  struct Run {
    Cycles work = 0;                 // what the task computes
    std::vector<scc::Burst> bursts;  // what it asks of memory
  };

  Bodies() = default;
  Bodies(const Bodies&) = delete;
  Bodies& operator=(const Bodies&) = delete;

  // Calls the task, which begins at the time on the core. Its memory is `memory`.
  virtual void run(std::uint32_t task, unsigned worker, Cycles time, scc::CoreMemory& memory,
                   Run& run) = 0;
  // Its body ends at the time.
  virtual void body_ended(unsigned /*worker*/, Cycles /*time*/) {}

 protected:
  ~Bodies() = default;
};

struct CoreUsage {
  Cycles task = 0;   // in tasks
  Cycles flush = 0;  // flushing and invalidating
  std::uint64_t tasks = 0;
};

class WorkerCores {
 public:
  // `cores`: whose ring is whose, by worker.
  WorkerCores(std::vector<CoreNumber> cores, const scc::MemoryMap& map, const Care& care,
              Bodies& bodies);

  [[nodiscard]] unsigned count() const noexcept { return static_cast<unsigned>(workers_.size()); }
  [[nodiscard]] CoreNumber core(unsigned worker) const noexcept { return workers_[worker].core; }
  [[nodiscard]] scc::MessageBuffers& buffers() noexcept { return buffers_; }
  [[nodiscard]] scc::Controllers& controllers() noexcept { return controllers_; }
  [[nodiscard]] const CoreUsage& usage(unsigned worker) const noexcept {
    return workers_[worker].usage;
  }

  // What happens until then, happens.
  void run_until(Cycles time);
  // Goes on until a worker has marked an entry. Returns when; none: nothing is going to happen.
  [[nodiscard]] bool run_until_completed(Cycles& time);

 private:
  enum class Phase : std::uint8_t { Rest, Look, Task, Flush };
  struct Worker {
    Worker(CoreNumber number, const scc::MemoryMap& map)
        : core(number), memory(map), ring(number) {}
    CoreNumber core;
    scc::CoreMemory memory;
    Phase phase = Phase::Rest;
    WorkerRing ring;
    scc::BurstWalk walk;
    Cycles since = 0;  // when the phase began
    CoreUsage usage;
  };

  // The earliest is the largest; among those of the same time, the one that was put in first.
  struct Event {
    Cycles time;
    std::uint64_t order;
    unsigned worker;
    friend bool operator<(const Event& a, const Event& b) noexcept {
      return a.time != b.time ? a.time > b.time : a.order > b.order;
    }
  };

  void put_event(unsigned worker, Cycles time) { events_.push({time, event_count_++, worker}); }
  void step();
  void look(unsigned index, Cycles now);
  void begin(unsigned index, Cycles now);
  void go_on(unsigned index, Cycles now);
  void flush(unsigned index, Cycles now);
  void complete(unsigned index, Cycles now);
  void wake(CoreNumber owner, Cycles time);

  const Care care_;
  Bodies& bodies_;
  std::priority_queue<Event> events_;  // one a worker at most
  std::uint64_t event_count_ = 0;
  std::vector<Worker> workers_;
  std::vector<unsigned> worker_of_;  // by core
  scc::MessageBuffers buffers_;
  scc::Controllers controllers_;
  bool has_completed_ = false;
  Cycles completed_at_ = 0;
};

}  // namespace myr::cluster::master
