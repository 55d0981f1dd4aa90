// SPDX-License-Identifier: Apache-2.0
//
// The shared-memory machine: N workers, of which the first is the thread that started it. Also the
// serial machine: one worker that runs every task where it is spawned.
//
// Threads: create(), destroy() by the main thread; the rest by any worker.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "engine/worker.hpp"
#include "graph/recycler.hpp"
#include "graph/region_space.hpp"
#include "plat/thread.hpp"
#include "sync/broadcast_event.hpp"
#include "sync/event_count.hpp"
#include "sync/fence.hpp"

namespace myr::engine {

struct EngineOptions {
  unsigned worker_count = 1;
  bool serial = false;                    // run tasks where they are spawned
  bool measure_time = false;              // fill in the *_ticks of WorkerStats
  trace::Recording* recording = nullptr;  // what workers do is written there; outlives the engine
};

class Engine {
 public:
  static constexpr unsigned kWorkersMax = 1024;

  // Starts the workers; the caller becomes worker 0 and runs the root task, which is main.
  static base::Result<std::unique_ptr<Engine>> create(graph::RegionSpace& space,
                                                      const EngineOptions& options);
  ~Engine();
  // Ends the other workers: what they counted and recorded may be read from now on.
  // REQUIRES: the root task has waited for all its children. A second call does nothing.
  void stop();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] const EngineOptions& options() const noexcept { return options_; }
  [[nodiscard]] graph::RegionSpace& space() noexcept { return space_; }
  [[nodiscard]] unsigned worker_count() const noexcept {
    return static_cast<unsigned>(workers_.size());
  }
  [[nodiscard]] Worker& worker(unsigned index) noexcept { return *workers_[index]; }
  [[nodiscard]] const std::vector<std::unique_ptr<graph::Recycler>>& recyclers() const noexcept {
    return recyclers_;
  }
  // Idle workers sleep here. Workers in a task's wait sleep there: they have a condition of their
  // own, and may run only some of the tasks, so they are all woken for every change.
  [[nodiscard]] sync::EventCount& idle_event() noexcept { return idle_event_; }
  [[nodiscard]] sync::BroadcastEvent& wait_event() noexcept { return wait_event_; }
  // To be called after a task was made ready. Cost: a load, while nobody sleeps.
  void announce_work() noexcept {
    sync::light_fence();  // [fence.pair] with announce() of the two events
    if (MYR_LIKELY(asleep_.load(sync::relaxed) == 0)) return;
    idle_event_.post(1);
    wait_event_.post();
  }
  // Brackets the sleep of a worker.
  void fall_asleep() noexcept { asleep_.fetch_add(1, sync::relaxed); }
  void wake_up() noexcept { asleep_.fetch_sub(1, sync::relaxed); }
  [[nodiscard]] bool stopping() const noexcept {
    return stopping_.load(sync::acquire);  // [engine.stop] What main did is visible.
  }
  // More workers than processors: spinning would take the processor from a worker that has work.
  [[nodiscard]] bool oversubscribed() const noexcept { return oversubscribed_; }

 private:
  Engine(graph::RegionSpace& space, const EngineOptions& options);

  graph::RegionSpace& space_;
  EngineOptions options_;
  bool oversubscribed_;
  sync::Atomic<std::uint32_t> asleep_{0};  // workers in or near one of the events, written by them
  sync::EventCount idle_event_;
  sync::BroadcastEvent wait_event_;
  sync::Atomic<bool> stopping_{false};  // written by ~Engine() [engine.stop]
  std::vector<std::unique_ptr<graph::Recycler>> recyclers_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<plat::Thread> threads_;  // of workers 1..
};

}  // namespace myr::engine
