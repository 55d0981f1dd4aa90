// SPDX-License-Identifier: Apache-2.0
//
// What the models of this library run in: its own teams, tasks, docks and waits, on the explorer's
// threads. Only the system is left out (world_model.cpp): no thread is started, nothing spins, and
// there are no places.
//
// A world lives inside one execution.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "omp/team.hpp"

namespace myr::explore {
struct Options;
class Threads;
}  // namespace myr::explore

namespace myr::omp {

class World {
 public:
  using Body = std::function<void(Thread& self)>;

  // A program of one thread with so many workers, all of which have run a part before, and of one
  // more that is in no region, if one is asked for.
  explicit World(unsigned worker_count, bool has_outsider = false);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Starts the workers, and a thread that calls `program` and then ends them.
  void start(explore::Threads& threads, const Body& program);
  // Starts the one in no region, after start().
  void start_outsider(explore::Threads& threads, const Body& body);

  [[nodiscard]] Thread& thread(unsigned index) noexcept { return *threads_[index]; }
  // Keeps the body of a task.
  [[nodiscard]] const Body* keep(const Body& body) { return &bodies_.emplace_back(body); }

 private:
  void add_thread();

  std::vector<std::unique_ptr<Thread>> threads_;  // the master first, an outsider last
  std::vector<Thread*> crew_;                     // of the master; index 0 is not used
  std::deque<Body> bodies_;
};

// No interleaving of `program`, the master's, and so many workers may fail.
void must_hold(explore::Options options, unsigned worker_count, const World::Body& program);
// Calls `body` in all threads of a region with so many threads.
void parallel(Thread& self, unsigned size, const World::Body& body);
// Spawns a task of the running one.
struct TaskKind {
  Depends depend = {};
  bool is_deferred = true;
  void** event = nullptr;  // of a detached one: where it goes
  bool is_untied = false;
};
void task(Thread& self, const World::Body& body, const TaskKind& kind = {});

}  // namespace myr::omp
