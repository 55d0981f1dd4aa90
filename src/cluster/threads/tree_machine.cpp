// SPDX-License-Identifier: Apache-2.0
#include "cluster/threads/tree_machine.hpp"

#include <utility>

#include "base/format.hpp"
#include "mem/heap.hpp"
#include "plat/clock.hpp"

namespace myr::cluster::threads {

namespace {

std::vector<transport::threads::Edge> edges_of(const sched::Topology& topology) {
  std::vector<transport::threads::Edge> edges;
  for (AgentId agent = 1; agent < topology.agent_count(); ++agent) {
    edges.emplace_back(agent, topology.parent(agent));
    edges.emplace_back(topology.parent(agent), agent);
  }
  return edges;
}

}  // namespace

base::Result<std::unique_ptr<Machine>> TreeMachine::create(sched::Topology topology,
                                                           const Options& options) {
  if (auto heap = mem::Heap::create(); !heap) return heap.error();
  const proto::PageRun memory = HeapStore::take_memory(kSharedPages);
  if (memory.count == 0) return base::Error{"no memory: the system refused the first megabyte"};
  std::unique_ptr<TreeMachine> machine(new TreeMachine(std::move(topology), options, memory));
  if (auto started = machine->start_threads(); !started) return started.error();
  return std::unique_ptr<Machine>(std::move(machine));
}

TreeMachine::TreeMachine(sched::Topology topology, const Options& machine_options,
                         proto::PageRun memory)
    : topology_(std::move(topology)),
      wires_(topology_.agent_count(), edges_of(topology_)),
      main_(UserTask::make(nullptr, 0, 0)) {
  main_->id = sched::kMain;
  const std::vector<AgentId>& schedulers = topology_.schedulers();
  for (std::uint32_t i = 0; i < schedulers.size(); ++i) {
    const AgentId self = schedulers[i];
    const sched::Options options{.load_percent = machine_options.load_percent,
                                 .moves_data = false,
                                 .memory = self == proto::kTop ? memory : proto::PageRun{},
                                 .chaos = machine_options.chaos};
    schedulers_.push_back(
        std::make_unique<SchedulerNode>(topology_, self, i, options, wires_.port(self)));
  }
  for (const AgentId self : topology_.workers()) {
    workers_.push_back(std::make_unique<WorkerNode>(topology_, self, wires_.port(self), stopping_,
                                                    machine_options.chaos));
  }
  if (machine_options.measures_time || machine_options.recording != nullptr) {
    watch(machine_options.recording);
  }
  start_ns_ = plat::now_ns();
  clock_.start_ticks = plat::ticks();
  workers_.front()->adopt_main(*main_);
}

void TreeMachine::watch(trace::Recording* recording) {
  const auto timeline = [recording](AgentId agent) {
    return recording == nullptr ? nullptr : recording->timeline(agent);
  };
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    schedulers_[i]->watch(timeline(topology_.schedulers()[i]));
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    workers_[i]->watch(timeline(topology_.workers()[i]));
  }
}

base::Result<bool> TreeMachine::start_threads() {
  const auto start = [this](std::string name, std::function<void()> body) {
    auto thread = plat::Thread::start({.name = std::move(name), .stack_bytes = kTaskStackBytes},
                                      std::move(body));
    if (!thread) return base::Result<bool>(thread.error());
    threads_.push_back(std::move(*thread));
    return base::Result<bool>(true);
  };
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    SchedulerNode* node = schedulers_[i].get();
    auto started = start(base::format("myr-s{}", i), [this, node] { node->run(stopping_); });
    if (!started) return started;
  }
  for (std::size_t i = 1; i < workers_.size(); ++i) {
    WorkerNode* node = workers_[i].get();
    auto started = start(base::format("myr-{}", i), [node] { node->run(); });
    if (!started) return started;
  }
  return true;
}

std::vector<AgentUsage> TreeMachine::usage() const {
  std::vector<AgentUsage> usage(topology_.agent_count());
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    usage[topology_.schedulers()[i]] = schedulers_[i]->usage();
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    usage[topology_.workers()[i]] = workers_[i]->usage();
  }
  return usage;
}

void TreeMachine::stop() {
  if (threads_.empty()) return;
  clock_.end_ticks = plat::ticks();
  clock_.elapsed_ns = plat::now_ns() - start_ns_;
  stopping_.store(true, sync::relaxed);  // [cluster.stop] waking carries it over
  for (const auto& node : schedulers_) node->wake();
  for (const auto& node : workers_) node->wake();
  threads_.clear();
}

TreeMachine::~TreeMachine() { stop(); }

}  // namespace myr::cluster::threads
