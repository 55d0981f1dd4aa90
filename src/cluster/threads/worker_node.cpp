// SPDX-License-Identifier: Apache-2.0
#include "cluster/threads/worker_node.hpp"

#include <utility>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "cluster/machine.hpp"

namespace myr::cluster::threads {

using plat::Fiber;

namespace {
constexpr unsigned kPrefetch = 1;
constexpr std::size_t kStacksMax = 4096;  // of a worker, beside its own
}  // namespace

WorkerNode::WorkerNode(const sched::Topology& topology, AgentId self, Port& port,
                       const sync::Atomic<bool>& stopping, std::optional<std::uint64_t> chaos)
    : AgentContext(topology, self),
      port_(port),
      scheduler_(topology.parent(self)),
      stopping_(stopping),
      worker_(*this, kPrefetch) {
  if (chaos) chaos_.emplace(base::Dice(*chaos, self));
}

void WorkerNode::adopt_main(UserTask& main) {
  home_ = Fiber::of_this_thread();
  fiber_ = home_.get();
  worker_.start_main(main.id);
  resume(main);
  task_begins(main);
}

void WorkerNode::run() {
  home_ = Fiber::of_this_thread();
  fiber_ = home_.get();
  serve();
}

// Until the machine stops. Nothing waits then, so all stacks are here, or idle.
void WorkerNode::serve() {
  // [cluster.stop] Nothing is left to do; whoever reads what this node counted has joined it.
  while (!stopping_.load(sync::relaxed)) {
    if (to_begin_) {
      port_.flush();  // what others wait for shall not wait for this task
      delay();
      AgentContext::run(*std::exchange(to_begin_, {}));
    } else if (to_go_on_) {
      return_to_task();
    } else if (!handle_message()) {
      park();
    }
  }
}

void WorkerNode::serve_on_new_stack(void* argument) {
  auto& node = *static_cast<WorkerNode*>(argument);
  node.serve();
  node.switch_to(*node.home_);  // and the thread ends
}

bool WorkerNode::handle_message() {
  while (!fetched_.empty()) {
    const proto::TaskId task = fetched_.front();
    fetched_.pop_front();
    worker_.fetched(task);
  }
  if (to_begin_ || to_go_on_) return true;
  std::optional<transport::threads::Incoming> incoming = port_.receive();
  if (!incoming) return false;
  worker_.receive(std::move(incoming->message));
  return true;
}

// ---- what it is seen doing

void WorkerNode::watch(trace::Timeline* timeline) {
  log_.emplace(timeline, trace::State::Runtime, plat::ticks());
}

AgentUsage WorkerNode::usage() const {
  AgentUsage usage = log_ ? log_->usage() : AgentUsage{};
  usage.tasks = tasks_run();
  usage.messages = port_.stats().messages_received;
  usage.message_bytes = port_.stats().bytes_received;
  return usage;
}

void WorkerNode::park() {
  change(worker_.is_idle() ? trace::State::Idle : trace::State::Wait);
  port_.wait();
  change(trace::State::Runtime);
}

void WorkerNode::task_begins(const UserTask& task) {
  if (!log_) return;
  change(trace::State::Task);
  // Main is there all the time.
  if (log_->timeline() != nullptr && !task.is_main()) {
    log_->timeline()->begin_task(plat::ticks(), task.name, task.site);
  }
}

void WorkerNode::task_stops() {
  if (!log_) return;
  change(trace::State::Runtime);
  if (log_->timeline() != nullptr && !task().is_main()) log_->timeline()->end_task(plat::ticks());
}

// ---- what tasks ask for -----------------------------------------------------------------------

void WorkerNode::send(AgentId to, proto::Body body) {
  port_.send(scheduler_, {.to = to, .body = std::move(body)});
}

void WorkerNode::send_spawn(proto::Spawn spawn) {
  const AgentId home = proto::home_of(spawn.task->parent);
  send(home, std::move(spawn));
  port_.flush();
  // The scheduler cannot follow: what this worker has is enough for now.
  while (port_.is_backed_up()) {
    if (!handle_message() && port_.is_backed_up()) park();
  }
}

void WorkerNode::await_answer() {
  while (!std::exchange(is_answered_, false)) {
    if (!handle_message()) park();
  }
}

void WorkerNode::await_wait_over() {
  UserTask& task = leave();
  waiting_.emplace(task.id, fiber_);
  worker_.waits(task.id);
  switch_to(idle_stack(task.site));
  resume(task);
}

void WorkerNode::ended(proto::TaskId task, std::uint32_t) {
  delay();
  send(proto::home_of(task), proto::BodyEnded{.task = task});
  worker_.ended(task);
}

// ---- stacks -----------------------------------------------------------------------------------

void WorkerNode::return_to_task() {
  port_.flush();
  const auto found = waiting_.find(*std::exchange(to_go_on_, {}));
  Fiber* next = found->second;
  waiting_.erase(found);
  idle_.push_back(fiber_);
  switch_to(*next);
}

void WorkerNode::switch_to(Fiber& next) {
  Fiber& left = *std::exchange(fiber_, &next);
  Fiber::switch_to(left, next);
}

Fiber& WorkerNode::idle_stack(const myr_site* site) {
  if (!idle_.empty()) {
    Fiber& stack = *idle_.back();
    idle_.pop_back();
    return stack;
  }
  if (others_.size() == kStacksMax) {
    base::misuse(
        site, base::format(
                  "the task spawned here waits, and no stack is left to run others meanwhile: {} "
                  "tasks already wait on this worker; nest waits less deeply, or use more workers",
                  kStacksMax));
  }
  auto made = Fiber::create(kTaskStackBytes, serve_on_new_stack, this);
  if (!made) base::misuse(site, made.error().text);
  others_.push_back(std::move(*made));
  return *others_.back();
}

}  // namespace myr::cluster::threads
