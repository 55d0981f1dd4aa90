// SPDX-License-Identifier: Apache-2.0
//
// Outside: what an engine that is a node of a larger machine, or several that share memory, needs
// of the rest of it; one for each of its nodes. Tasks come to a node from there, with kSpread:
// their parents run on this node or on another one, and which of them wait for which was decided
// there. What they spawn here is the engine's own, and any of its workers runs it.
//
// Threads: each call by the thread of the worker that it names.
#pragma once

#include <cstdint>

#include "graph/task.hpp"

namespace myr::engine {

class Worker;

class Outside {
 public:
  Outside() = default;
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

  // The track of the node's first worker in a recording.
  [[nodiscard]] virtual unsigned first_track() const = 0;
  // The calling thread is the worker's from now on.
  virtual void adopt_thread(Worker& worker) = 0;
  // A task that has come and that the worker is to run; nullptr: there is none. Takes what else has
  // come, too: then a wait of the worker's may be over. Called by a worker that has announced its
  // sleep, it misses nothing that came before; what comes later wakes a worker by
  // Engine::sleepers().
  [[nodiscard]] virtual graph::Task* take(Worker& worker) = 0;
  // When the worker, the only one of its engine, has nothing to do: does it look by itself for what
  // comes, rather than sleep until others wake it?
  [[nodiscard]] virtual bool waits_alone() const { return false; }
  // It does so, until a task has come, or the worker has news. It sees a little later what other
  // threads post meanwhile.
  [[nodiscard]] virtual graph::Task* wait_alone(Worker&) { return nullptr; }
  // The task, which take() gave, is not begun: take() gives it to some worker of the node again.
  // False: all workers of the engine are the node's, so they find it in the ring of any.
  [[nodiscard]] virtual bool put_back(graph::Task&) { return false; }
  // Is it known here in which regions the objects are that tasks from outside use? Else such a task
  // is cancelled only with regions that it names.
  [[nodiscard]] virtual bool knows_objects() const { return true; }
  // A worker of the node was woken and will not look: perhaps for something that others could take.
  virtual void pass_wake_on() {}
  // A task of this node or of another one of the engine.
  struct Ended {
    Outside* node;  // to which it came
    std::uint64_t task;
  };
  // The body of the task, whose frames lay below `frame`, has returned. Returns what its node is to
  // be told. Does not touch the task after that.
  [[nodiscard]] virtual Ended body_ended(Worker& worker, graph::Task& task, const void* frame) = 0;
  // Did it spawn tasks that went to the outside? Then its end is told though they are alive.
  [[nodiscard]] virtual bool has_spread(const graph::Task& task) const = 0;
  // It did spawn such tasks, and its body, the running one, whose frames lay below `frame`, has
  // returned, but events hold it open. Returns when what it spawned has ended: some of that may be
  // to complete them, and needs room on a worker, which the outside counts a task as taking until
  // it waits or ends.
  virtual void await_spread(Worker&, graph::Task&, const void* /*frame*/) {}
  // It has ended, and all that it spawned here. Its parent knows.
  virtual void tell_ended(Worker& worker, std::uint64_t ended) = 0;

 protected:
  ~Outside() = default;
};

}  // namespace myr::engine
