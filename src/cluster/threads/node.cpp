// SPDX-License-Identifier: Apache-2.0
#include "cluster/threads/node.hpp"

#include <algorithm>
#include <utility>

#include "cluster/misuse.hpp"
#include "cluster/threads/tree_context.hpp"
#include "plat/clock.hpp"

namespace myr::cluster::threads {

using engine::Worker;
using graph::Task;

Node& Commons::node_of(AgentId worker) const noexcept {
  const std::vector<AgentId>& workers = topology.workers();
  const auto at = std::lower_bound(workers.begin(), workers.end(), worker);
  return *nodes[static_cast<std::size_t>(at - workers.begin())];
}

Node::Node(Commons& commons, AgentId self, unsigned number, Port& port)
    : NodeServices({.threads = commons.threads,
                    .first_worker = number * commons.threads,
                    .worker_count = commons.worker_count(),
                    .spreading_ticks = commons.spreading_ticks()}),
      commons_(commons),
      self_(self),
      scheduler_(commons.topology.parent(self)),
      number_(number),
      contexts_(commons.threads + commons.guests_max),
      port_(port) {}

Node::~Node() = default;

base::Result<bool> Node::start() {
  const Options& options = commons_.options;
  engine::EngineOptions own{.worker_count = commons_.threads,
                            .measure_time = options.measures_time,
                            .recording = options.recording,
                            .spin_ns = commons_.has_processors ? options.spin_ns : 0,
                            .outside = this,
                            .recyclers = &commons_.recyclers,
                            .first_worker = shape().first_worker,
                            .first_guest = commons_.worker_count() + number_ * commons_.guests_max,
                            .guests_max = commons_.guests_max,
                            .first_track = first_track(commons_.topology, self_, commons_.threads),
                            .has_main = number_ == 0};
  if (options.chaos) own.chaos = *options.chaos + self_;
  auto made = engine::Engine::create(commons_.space, own);
  if (!made) return made.error();
  engine_ = std::move(*made);
  port_.sleep_in(engine_->sleepers());  // nobody sends before main does
  return true;
}

void Node::stop() {
  if (engine_ != nullptr) engine_->stop();
}

AgentUsage Node::usage() const {
  AgentUsage usage;
  for (unsigned i = 0; i < commons_.threads; ++i) {
    const engine::WorkerStats& stats = engine_->worker(i).stats();
    usage.task_ticks += stats.task_ticks;
    usage.runtime_ticks += stats.runtime_ticks;
    usage.idle_ticks += stats.idle_ticks;
    usage.tasks += stats.ran;
  }
  usage.messages = port_.stats().messages_received;
  usage.message_bytes = port_.stats().bytes_received;
  return usage;
}

bool Node::is_work_wanted_below(AgentId scheduler) const {
  return std::any_of(commons_.nodes.begin(), commons_.nodes.end(), [&](const Node* node) {
    return node != this && commons_.topology.is_within(node->self_, scheduler) &&
           node->engine_->beggar_count().load(sync::relaxed) != 0;
  });
}

// ---- messages -----------------------------------------------------------------------------------

void Node::post(AgentId to, proto::Body body) {
  port_.send(scheduler_, {.to = to, .body = std::move(body)});
  port_.flush_or_ask();
}

void Node::take_messages_until(Worker& worker, const std::function<bool()>& done) {
  constexpr unsigned kSpinRounds = 500;
  const auto look = [&] {
    const std::scoped_lock lock(lock_);
    receive();
    return done();
  };
  sync::Sleepers& sleepers = worker.engine().sleepers();
  for (unsigned round = 0; !look(); ++round) {
    if (commons_.has_processors && round < kSpinRounds) {
      plat::cpu_relax();
      continue;
    }
    sleepers.announce(worker.index());
    const bool is_done = look();
    if (is_done) {
      sleepers.cancel(worker.index());
    } else {
      sleepers.wait(worker.index());
    }
    // A task that has come may be what this thread, which runs none, was woken for.
    sleepers.post();
    if (is_done) return;
    round = 0;
  }
}

void Node::take_messages() {
  const std::scoped_lock lock(lock_);
  receive();
}

void Node::receive() {
  port_.flush_or_ask();
  while (auto incoming = port_.receive()) handle(incoming->message.body);
}

void Node::handle(proto::Body& body) {
  if (auto* execute = std::get_if<proto::Execute>(&body)) {
    arrivals_.push_back(std::move(execute->work));
    engine_->sleepers().post();
  } else if (auto* wanted = std::get_if<proto::GiveBack>(&body)) {
    give_back(wanted->top);
  } else if (auto* over = std::get_if<proto::WaitOver>(&body)) {
    Worker::end_wait(*take_waiter(over->task));
  } else if (auto* made = std::get_if<proto::RegionMade>(&body)) {
    reinterpret_cast<NodeContext*>(made->request)->answer(*made);
  } else {
    auto& allocated = std::get<proto::Allocated>(body);
    reinterpret_cast<NodeContext*>(allocated.request)->answer(std::move(allocated));
  }
}

// The last one, which would have to wait longest.
void Node::give_back(AgentId top) {
  proto::GivenBack given{.top = top};
  const auto last = std::find_if(arrivals_.rbegin(), arrivals_.rend(),
                                 [top](const auto& work) { return work.may_leave_for(top); });
  if (last != arrivals_.rend()) {
    given.work = std::move(*last);
    arrivals_.erase(std::next(last).base());
  }
  post(scheduler_, std::move(given));
}

// ---- Outside ------------------------------------------------------------------------------------

void Node::adopt_thread(Worker& worker) {
  contexts_[worker.index()] = std::make_unique<TreeContext>(*this, worker);
  contexts_[worker.index()]->adopt_thread();
}

Task* Node::take(Worker& worker) {
  const std::scoped_lock lock(lock_);
  receive();
  if (arrivals_.empty()) return nullptr;
  const proto::Work work = std::move(arrivals_.front());
  arrivals_.pop_front();
  Task& task = graph_task_of(work.program);
  spread_task_of(task).id = work.task;
  spread_task_of(task).begin_ticks = plat::ticks();
  worker.accept(task);
  return &task;
}

bool Node::has_spread(const Task& task) const {
  return spread_task_of(const_cast<Task&>(task)).has_spread();
}

std::uint64_t Node::body_ended(Worker& worker, Task& task, const void* frame) {
  SpreadTask& self = spread_task_of(task);
  const proto::TaskId id = self.id;
  tell_locals_gone(worker, self, frame);
  const std::uint64_t ticks = plat::ticks() - self.begin_ticks;
  self.parent->ended_ticks.fetch_add(ticks, sync::relaxed);
  self.parent->ended_count.fetch_add(1, sync::relaxed);
  // Its children may still ask whether it spawns; what it owns goes.
  self.spawns.store(false, sync::relaxed);
  self.clock = {};
  std::vector<myr_region>().swap(self.freed);
  return id;
}

void Node::tell_ended(Worker&, std::uint64_t ended) {
  send(proto::home_of(ended), proto::BodyEnded{.task = ended});
}

}  // namespace myr::cluster::threads
