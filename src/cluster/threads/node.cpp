// SPDX-License-Identifier: Apache-2.0
#include "cluster/threads/node.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "cluster/loop_on_nodes.hpp"
#include "cluster/misuse.hpp"
#include "cluster/tree_context.hpp"
#include "plat/clock.hpp"

namespace myr::cluster::threads {

using engine::Worker;
using graph::Task;

Node& Commons::node_of(AgentId worker) const noexcept {
  return *nodes[topology.worker_number(worker)];
}

Node::Node(Commons& commons, AgentId self, unsigned number, Port& port)
    : ThreadedNode(commons.topology, self,
                   {.threads = commons.worker_count(),
                    .first_worker = 0,
                    .worker_count = commons.worker_count(),
                    .spreading_ticks = commons.spreading_ticks()},
                   static_cast<sched::Data&>(*this), {.only_replays_wait = true}),
      commons_(commons),
      scheduler_(commons.topology.parent(self)),
      number_(number),
      port_(port) {}

// Guests wait for messages, too.
void Node::start() {
  std::vector<unsigned> members;
  for (unsigned i = first_worker(); i < end_worker(); ++i) members.push_back(i);
  for (auto i = static_cast<unsigned>(number_); i < engine::kGuestsMax;
       i += commons_.nodes.size()) {
    members.push_back(commons_.worker_count() + i);
  }
  port_.sleep_in(commons_.engine->sleepers(), std::move(members));
}

AgentUsage Node::usage() const {
  AgentUsage usage = usage_of(*commons_.engine, first_worker(), commons_.threads);
  usage.messages = port_.stats().messages_received;
  usage.message_bytes = port_.stats().bytes_received;
  return usage;
}

bool Node::begs() const {
  for (unsigned i = first_worker(); i < end_worker(); ++i) {
    if (commons_.engine->worker(i).begs()) return true;
  }
  return false;
}

bool Node::is_work_wanted_below(AgentId scheduler) const {
  if (commons_.engine->beggar_count().load(sync::relaxed) == 0) return false;
  return std::any_of(commons_.nodes.begin(), commons_.nodes.end(), [&](const Node* node) {
    return node != this && commons_.topology.is_within(node->self_, scheduler) && node->begs();
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
    // This thread runs no tasks, but may have been woken for one.
    sleepers.post();
    port_.wake_sleeper();
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
  while (auto incoming = port_.receive()) agent_.receive(incoming->message.body);
}

void Node::end_wait(proto::TaskId task, proto::FailurePtr) { Worker::end_wait(*take_waiter(task)); }

// ---- Outside ------------------------------------------------------------------------------------

unsigned Node::first_track() const {
  return cluster::first_track(commons_.topology, self_, commons_.threads);
}

void Node::adopt_thread(Worker& worker) {
  std::unique_ptr<NodeContext>& context = commons_.contexts[worker.index()];
  context = std::make_unique<TreeContext>(*this, worker, commons_.space, commons_.stores);
  context->adopt_thread();
}

Task* Node::take(Worker& worker) {
  const std::scoped_lock lock(lock_);
  receive();
  if (!put_back_.empty()) {
    Task* const task = put_back_.back();
    put_back_.pop_back();
    return task;
  }
  const std::optional<proto::Work> work = agent_.take();
  if (!work) return nullptr;
  Task& whole = graph_task_of(work->program);
  Task& task = work->iterations.none() ? whole : make_part(worker, whole, *work);
  spread_task_of(task).id = work->task;
  spread_task_of(task).node = this;
  spread_task_of(task).is_replayed = work->place.is_replayed;
  spread_task_of(task).begin_ticks = plat::ticks();
  spread_task_of(task).begin(task);
  worker.accept(task);
  return &task;
}

bool Node::put_back(Task& task) {
  {
    const std::scoped_lock lock(lock_);
    put_back_.push_back(&task);
  }
  port_.wake_sleeper();
  return true;
}

engine::Outside::Ended Node::body_ended(Worker& worker, Task& task, const void* frame) {
  SpreadTask& self = spread_task_of(task);
  const Ended ended{self.node, self.id};
  // Children that schedulers know are alive only if the body ended here just now.
  if (self.has_spread()) static_cast<Node*>(self.node)->tell_locals_gone(worker, self, frame);
  const std::uint64_t ticks = plat::ticks() - self.begin_ticks;
  self.parent->ended_ticks.fetch_add(ticks, sync::relaxed);
  self.parent->ended_count.fetch_add(1, sync::relaxed);
  self.let_go();
  return ended;
}

void Node::tell_ended(Worker&, std::uint64_t ended) {
  send(proto::home_of(ended), proto::BodyEnded{.task = ended});
}

}  // namespace myr::cluster::threads
