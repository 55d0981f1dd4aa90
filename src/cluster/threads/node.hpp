// SPDX-License-Identifier: Apache-2.0
//
// Node: a worker of the tree: one thread or more of the engine that all nodes share. Its port is in
// the hands of whichever of its threads has nothing better to do, or of its scheduler's thread,
// when that wants an answer at once; what comes there are tasks to run, and ends of waits. A task
// is spread if it goes to schedulers when it is spawned, and local if the engine has it from its
// spawn to its end: then a thread of any node runs it.
//
// Threads: start() by main's; the others by those of the node, except where it says any.
#pragma once

#include <memory>
#include <vector>

#include "cluster/agent_log.hpp"
#include "cluster/heap_store.hpp"
#include "cluster/machine.hpp"
#include "cluster/node_context.hpp"
#include "engine/engine.hpp"
#include "sched/topology.hpp"
#include "transport/threads/wires.hpp"

namespace myr::cluster::threads {

using proto::AgentId;
using transport::threads::Port;

class Node;

// What the nodes of a tree share.
struct Commons {
  const sched::Topology& topology;
  graph::RegionSpace& space;
  const Options& options;
  unsigned threads = 1;                                     // of each node
  bool has_processors = true;                               // for each of the threads
  std::vector<HeapStore*> stores = {};                      // by agent; nullptr: a worker
  std::vector<Node*> nodes = {};                            // by number
  std::vector<std::unique_ptr<NodeContext>> contexts = {};  // by worker, guests behind them
  engine::Engine* engine = nullptr;                         // before main begins

  [[nodiscard]] Node& node_of(AgentId worker) const noexcept;
  [[nodiscard]] unsigned worker_count() const noexcept {
    return static_cast<unsigned>(topology.workers().size()) * threads;
  }
  // What it takes to spread a task, in ticks of the clock: more where threads must be woken for it.
  [[nodiscard]] std::uint64_t spreading_ticks() const noexcept {
    return has_processors ? 10'000 : 200'000;
  }
};

class Node final : private sched::Data, public ThreadedNode {
 public:
  // `number`: among the nodes.
  Node(Commons& commons, AgentId self, unsigned number, Port& port);

  // The engine is there. Nobody sends before that.
  void start();
  // Once the engine has stopped.
  [[nodiscard]] AgentUsage usage() const;

  [[nodiscard]] Commons& commons() noexcept { return commons_; }

  // ---- NodeServices
  [[nodiscard]] bool is_work_wanted_below(AgentId scheduler) const override;

  // Takes the messages that have come, for threads that are all busy. Any thread.
  void take_messages();

 private:
  // Its workers in the engine are those from the first one up to this.
  [[nodiscard]] unsigned first_worker() const noexcept { return number_ * commons_.threads; }
  [[nodiscard]] unsigned end_worker() const noexcept { return first_worker() + commons_.threads; }
  [[nodiscard]] bool begs() const;

  // ---- Outside
  [[nodiscard]] unsigned first_track() const override;
  void adopt_thread(engine::Worker& worker) override;
  [[nodiscard]] graph::Task* take(engine::Worker& worker) override;
  [[nodiscard]] bool put_back(graph::Task& task) override;
  void pass_wake_on() override { port_.wake_sleeper(); }
  [[nodiscard]] Ended body_ended(engine::Worker& worker, graph::Task& task,
                                 const void* frame) override;
  void tell_ended(engine::Worker& worker, std::uint64_t ended) override;

  void take_messages_until(engine::Worker& worker, const std::function<bool()>& done) override;

  // ---- under the lock
  void post(AgentId to, proto::Body body) override;
  [[nodiscard]] bool is_backed_up() const override { return port_.is_backed_up(); }
  void task_is_here() override { port_.wake_sleeper(); }
  void end_wait(proto::TaskId task, proto::FailurePtr failure) override;
  void receive();

  Commons& commons_;
  const AgentId scheduler_;
  const unsigned number_;

  // ---- under the lock
  Port& port_;
  std::vector<graph::Task*> put_back_;  // to be run before those that have come
};

}  // namespace myr::cluster::threads
