// SPDX-License-Identifier: Apache-2.0
//
// Node: a worker of the tree, which is an engine of one thread or more. Its port is in the hands of
// whichever of its threads has nothing better to do, or of its scheduler's thread, when that wants
// an answer at once; what comes there are tasks to run, and ends of waits. A task is spread if it
// goes to schedulers when it is spawned, and local if the engine has it from its spawn to its end.
//
// Threads: start() and stop() by main's; the others by those of the node, but where it says any.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
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
  unsigned threads = 1;                 // of each node
  bool has_processors = true;           // for each of the threads
  std::vector<HeapStore*> stores = {};  // by agent; nullptr: a worker
  std::vector<Node*> nodes = {};        // by number
  unsigned guests_max = 0;              // of each node
  graph::Recyclers recyclers = {};      // of workers, then of guests

  [[nodiscard]] Node& node_of(AgentId worker) const noexcept;
  [[nodiscard]] unsigned worker_count() const noexcept {
    return static_cast<unsigned>(topology.workers().size()) * threads;
  }
  // What it takes to spread a task, in ticks of the clock: more where threads must be woken for it.
  [[nodiscard]] std::uint64_t spreading_ticks() const noexcept {
    return has_processors ? 10'000 : 200'000;
  }
};

class Node final : public engine::Outside, public NodeServices {
 public:
  // `number`: among the nodes.
  Node(Commons& commons, AgentId self, unsigned number, Port& port);
  ~Node();

  // The node with the number 0 makes the calling thread its first worker, on which main runs.
  [[nodiscard]] base::Result<bool> start();
  void stop();
  // The engine's. Any thread.
  [[nodiscard]] bool admit() { return engine_->admit(); }
  void finish_guests(bool for_ever) { engine_->finish_guests(for_ever); }
  // Once it has stopped.
  [[nodiscard]] AgentUsage usage() const;

  [[nodiscard]] Commons& commons() noexcept { return commons_; }
  [[nodiscard]] AgentId self() const noexcept { return self_; }

  // ---- NodeServices
  [[nodiscard]] bool is_work_wanted_below(AgentId scheduler) const override;

  // Takes the messages that have come, for threads that are all busy. Any thread.
  void take_messages();

 private:
  // ---- Outside
  void adopt_thread(engine::Worker& worker) override;
  [[nodiscard]] graph::Task* take(engine::Worker& worker) override;
  [[nodiscard]] std::uint64_t body_ended(engine::Worker& worker, graph::Task& task,
                                         const void* frame) override;
  [[nodiscard]] bool has_spread(const graph::Task& task) const override;
  void tell_ended(engine::Worker& worker, std::uint64_t ended) override;

  void take_messages_until(engine::Worker& worker, const std::function<bool()>& done) override;

  // ---- under the lock
  void post(AgentId to, proto::Body body) override;
  [[nodiscard]] bool is_backed_up() const override { return port_.is_backed_up(); }
  void receive();
  void handle(proto::Body& body);
  void give_back(AgentId top);

  Commons& commons_;
  const AgentId self_;
  const AgentId scheduler_;
  const unsigned number_;
  std::vector<std::unique_ptr<NodeContext>> contexts_;  // by worker, guests behind them
  std::unique_ptr<engine::Engine> engine_;

  // ---- under the lock
  Port& port_;
  std::deque<proto::Work> arrivals_;  // to be run, in order
};

}  // namespace myr::cluster::threads
