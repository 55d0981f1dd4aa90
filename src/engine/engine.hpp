// SPDX-License-Identifier: Apache-2.0
//
// The shared-memory machine: N workers, of which the first is the thread that started it. Also the
// serial machine: one worker that runs every task where it is spawned.
//
// Threads: create(), stop() and the destructor by the main thread; the rest by any worker, admit()
// by any other thread.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "engine/checker.hpp"
#include "engine/common_tasks.hpp"
#include "engine/guest.hpp"
#include "engine/outside.hpp"
#include "engine/pins.hpp"
#include "engine/watch.hpp"
#include "engine/worker.hpp"
#include "graph/recycler.hpp"
#include "graph/region_space.hpp"
#include "plat/thread.hpp"
#include "sync/sleepers.hpp"

namespace myr::engine {

inline constexpr unsigned kGuestsMax = 3072;  // at a time
inline constexpr const char* kNoPlace =
    "3072 such threads have places at a time, until they end, and all are taken";
static_assert(kGuestsMax == 3072);

// About as long as it takes until a thread that was woken runs.
inline constexpr std::uint64_t kSpinNs = 50'000;

struct EngineOptions {
  unsigned worker_count = 1;
  bool serial = false;                      // run tasks where they are spawned
  bool measure_time = false;                // fill in the *_ticks of WorkerStats
  trace::Recording* recording = nullptr;    // what workers do is written there; outlives the engine
  Checker* checker = nullptr;               // of a serial one: what tasks do is told to it
  std::optional<std::uint64_t> chaos = {};  // a seed: see worker_chaos.cpp; serial does without
  std::uint64_t spin_ns = kSpinNs;          // how long a worker without work looks on, then sleeps
  bool pins = false;                        // each worker has a processor of its own
  // A worker's, beside its thread's own: for the tasks that wait on it at once. More wait on the
  // stacks of others.
  std::size_t stacks_max = std::size_t{1} << 17;

  // ---- of an engine that is a node of a larger machine, or some nodes

  std::vector<Outside*> nodes = {};       // outlive the engine; none: it is the whole machine
  graph::Recyclers* recyclers = nullptr;  // of the workers of all engines, by their numbers
  unsigned first_worker = 0;              // the number of worker 0
  unsigned first_guest = 0;               // the number of its first guest
  unsigned guests_max = kGuestsMax;       // at a time
  bool has_main = true;                   // false: all workers have threads of their own
};

class Engine {
 public:
  static constexpr unsigned kWorkersMax = 1024;
  static_assert(kWorkersMax + kGuestsMax <= graph::Task::kHomeMax + 1);

  // Starts the workers; the caller becomes worker 0 and runs the root task, which is main.
  static base::Result<std::unique_ptr<Engine>> create(graph::RegionSpace& space,
                                                      const EngineOptions& options);
  ~Engine();
  // Gives the calling thread, which has none, a context. False: all places are taken, or no memory.
  [[nodiscard]] bool admit();
  // The guest's thread has ended.
  void leave(std::shared_ptr<Guest> guest);
  // Waits for the tasks of all guests, which may not call any more: see Guest::finish().
  void finish_guests(bool for_ever);
  // An object of the region 0 of another root: it is left to that one to free.
  void give_back(void* object, deps::RegionIndex region);
  // Are there such objects for main? A hint; main learns by other means what it must not miss.
  [[nodiscard]] bool has_returned() const noexcept { return has_returned_.load(sync::relaxed); }
  // Frees them, if the worker runs main.
  void take_returned(Worker& worker);

  // Ends the other workers: what they counted and recorded may be read from now on.
  // REQUIRES: the root task has waited for all its children. A second call does nothing.
  void stop();
  // After stop(): nullptr, or what is not over.
  [[nodiscard]] const char* broken_invariant() const;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] const EngineOptions& options() const noexcept { return options_; }
  [[nodiscard]] graph::RegionSpace& space() noexcept { return space_; }
  // Its number among all engines that the process has had.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] unsigned worker_count() const noexcept { return options_.worker_count; }
  // Nodes have as many workers each, in order, and about as many guests. None: no nodes.
  [[nodiscard]] Outside* node_of(unsigned index) const noexcept;
  [[nodiscard]] unsigned workers_of_node() const noexcept;
  // Workers and, behind them, guests, whose queues may hold ready tasks, too.
  [[nodiscard]] unsigned queue_count() const noexcept {
    return options_.worker_count + guest_count_.load(sync::acquire);  // [engine.guest]
  }
  [[nodiscard]] const Pins& pins() const noexcept { return pins_; }
  [[nodiscard]] Worker& worker(unsigned index) noexcept { return *workers_[index]; }
  // The times of the workers, if they are measured.
  [[nodiscard]] std::vector<const LineTimes*> lines() const;
  // Ready tasks with a priority.
  [[nodiscard]] CommonTasks& common() noexcept { return common_; }
  // The last event that held the task open is completed. Any thread.
  void end_soon(graph::Task& task);
  // Where workers sleep that have nothing to run. Post there after a task was made ready.
  [[nodiscard]] sync::Sleepers& sleepers() noexcept { return sleepers_; }
  // How many workers want to be given a task. A hint.
  [[nodiscard]] sync::Atomic<std::uint32_t>& beggar_count() noexcept { return beggar_count_; }
  [[nodiscard]] bool stopping() const noexcept {
    return stopping_.load(sync::acquire);  // [engine.stop] What main did is visible.
  }

 private:
  Engine(graph::RegionSpace& space, const EngineOptions& options);
  Worker& add_worker(unsigned index);
  // Among those of the whole machine. Guests come behind all workers.
  [[nodiscard]] unsigned number_of(unsigned index) const noexcept {
    if (index < options_.worker_count) return options_.first_worker + index;
    const unsigned guest = index - options_.worker_count;
    return (options_.recyclers == nullptr ? options_.worker_count : options_.first_guest) + guest;
  }
  [[nodiscard]] graph::Recycler& recycler(unsigned index) noexcept {
    return *recyclers_[number_of(index)];
  }
  [[nodiscard]] base::Result<bool> start_threads();
  void plant_root(Worker& worker, deps::RegionIndex region_zero);

  static sync::Atomic<std::uint64_t> count_;  // written by create()
  const std::uint64_t number_ = count_.fetch_add(1, sync::relaxed) + 1;
  graph::RegionSpace& space_;
  EngineOptions options_;
  Pins pins_;
  sync::Sleepers sleepers_;
  CommonTasks common_;
  // Written by those that begin and end to beg, read by loops between two grains.
  alignas(base::kCacheLine) sync::Atomic<std::uint32_t> beggar_count_{0};
  alignas(base::kCacheLine) sync::Atomic<bool> stopping_{
      false};  // written by ~Engine() [engine.stop]
  graph::Recyclers own_recyclers_;
  graph::Recyclers& recyclers_;
  std::vector<std::unique_ptr<Worker>> workers_;
  Watch watch_{*this};
  std::vector<plat::Thread> threads_;  // of workers 1.., and of the watch if there is a reserve

  [[nodiscard]] std::shared_ptr<Guest> make_guest();
  std::mutex guests_lock_;                      // guards what follows, up to the next comment
  std::vector<std::shared_ptr<Guest>> guests_;  // all that there have been
  std::vector<std::shared_ptr<Guest>> idle_guests_;
  std::vector<void*> returned_;
  // Written under the lock, read by all; guests before this number have workers [engine.guest].
  sync::Atomic<unsigned> guest_count_{0};
  sync::Atomic<bool> has_returned_{false};
};

inline graph::RegionSpace& Worker::space() noexcept { return engine_.space(); }
inline unsigned Worker::worker_count() const { return engine_.worker_count(); }

// A checked loop is cut, so that what an iteration does to others' parts is seen.
inline unsigned Worker::loop_worker_count() const {
  constexpr unsigned kCheckedParts = 1000;
  return engine_.options().checker == nullptr ? worker_count() : kCheckedParts;
}
inline bool Worker::cuts_below_grain() const { return engine_.options().checker != nullptr; }

}  // namespace myr::engine
