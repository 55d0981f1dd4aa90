// SPDX-License-Identifier: Apache-2.0
#include "cluster/threads/tree_machine.hpp"

#include <utility>

#include "base/format.hpp"
#include "graph/task_arena.hpp"
#include "mem/heap.hpp"
#include "plat/clock.hpp"
#include "plat/cpu_quota.hpp"
#include "plat/task_stack.hpp"

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

std::size_t thread_count(const sched::Topology& topology, unsigned threads) {
  return topology.schedulers().size() + topology.workers().size() * threads;
}

}  // namespace

base::Result<std::unique_ptr<Machine>> TreeMachine::create(sched::Topology topology,
                                                           const Options& options) {
  if (auto heap = mem::Heap::create(); !heap) return heap.error();
  if (auto tasks = graph::TaskArena::reserve(); !tasks) return tasks.error();
  graph::TaskArena::clear();
  auto space = graph::RegionSpace::create_for_agents();
  if (!space) return space.error();
  const proto::PageRun memory = HeapStore::take_memory(kSharedPages);
  std::unique_ptr<TreeMachine> machine(
      new TreeMachine(std::move(topology), options, std::move(*space), memory));
  if (auto started = machine->start(); !started) return started.error();
  return std::unique_ptr<Machine>(std::move(machine));
}

TreeMachine::TreeMachine(sched::Topology topology, const Options& machine_options,
                         std::unique_ptr<graph::RegionSpace> space, proto::PageRun memory)
    : topology_(std::move(topology)),
      options_(machine_options),
      space_(std::move(space)),
      wires_(topology_.agent_count(), edges_of(topology_)),
      commons_{
          .topology = topology_,
          .space = *space_,
          .options = options_,
          .threads = options_.threads,
          .has_processors = thread_count(topology_, options_.threads) <= plat::usable_cpu_count()} {
  const std::vector<AgentId>& schedulers = topology_.schedulers();
  commons_.stores.resize(topology_.agent_count());
  for (std::uint32_t i = 0; i < schedulers.size(); ++i) {
    const AgentId self = schedulers[i];
    const sched::Options options{.load_percent = options_.load_percent,
                                 .moves_data = false,
                                 .threads = options_.threads,
                                 .takes_back = true,
                                 .memory = self == proto::kTop ? memory : proto::PageRun{},
                                 .chaos = options_.chaos};
    auto store = std::make_unique<HeapStore>(i, *space_);
    commons_.stores[self] = store.get();
    schedulers_.push_back(std::make_unique<SchedulerNode>(commons_, self, options, std::move(store),
                                                          wires_.port(self)));
  }
  const std::vector<AgentId>& workers = topology_.workers();
  commons_.contexts.resize(commons_.worker_count() + engine::kGuestsMax);
  for (unsigned i = 0; i < workers.size(); ++i) {
    nodes_.push_back(std::make_unique<Node>(commons_, workers[i], i, wires_.port(workers[i])));
    commons_.nodes.push_back(nodes_.back().get());
  }
  if (options_.measures_time || options_.recording != nullptr) watch(options_.recording);
  start_ns_ = plat::now_ns();
  clock_.start_ticks = plat::ticks();
}

void TreeMachine::watch(trace::Recording* recording) {
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    const AgentId self = topology_.schedulers()[i];
    const unsigned track = first_track(topology_, self, options_.threads);
    schedulers_[i]->watch(recording == nullptr ? nullptr : recording->timeline(track));
  }
}

base::Result<bool> TreeMachine::start() {
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    SchedulerNode* const node = schedulers_[i].get();
    auto thread = plat::Thread::start(
        {.name = base::format("myr-s{}", i), .stack_bytes = plat::task_stack_bytes()},
        [this, node] { node->run(stopping_); });
    if (!thread) return thread.error();
    threads_.push_back(std::move(*thread));
  }
  return start_engine();
}

// The calling thread is the first node's first worker, if it is main's.
base::Result<bool> TreeMachine::start_engine() {
  engine::EngineOptions options{.worker_count = commons_.worker_count(),
                                .measure_time = options_.measures_time,
                                .recording = options_.recording,
                                .chaos = options_.chaos,
                                .spin_ns = commons_.has_processors ? options_.spin_ns : 0,
                                .has_main = options_.has_main};
  options.nodes.assign(commons_.nodes.begin(), commons_.nodes.end());
  auto made = engine::Engine::create(*space_, options);
  if (!made) return made.error();
  engine_ = std::move(*made);
  commons_.engine = engine_.get();
  for (const auto& node : nodes_) node->start();
  return true;
}

std::vector<AgentUsage> TreeMachine::usage() const {
  std::vector<AgentUsage> usage(topology_.agent_count());
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    usage[topology_.schedulers()[i]] = schedulers_[i]->usage();
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    usage[topology_.workers()[i]] = nodes_[i]->usage();
  }
  return usage;
}

const char* TreeMachine::admit() { return engine_->admit() ? nullptr : engine::kNoPlace; }

void TreeMachine::finish_guests(bool for_ever) { engine_->finish_guests(for_ever); }

void TreeMachine::stop() {
  if (threads_.empty()) return;
  clock_.end_ticks = plat::ticks();
  clock_.elapsed_ns = plat::now_ns() - start_ns_;
  NodeContext::leave_thread();
  if (engine_ != nullptr) engine_->stop();
  stopping_.store(true, sync::relaxed);  // [cluster.stop] waking carries it over
  for (const auto& node : schedulers_) node->wake();
  threads_.clear();
}

TreeMachine::~TreeMachine() { stop(); }

}  // namespace myr::cluster::threads
