// SPDX-License-Identifier: Apache-2.0
//
// WorkerNode: a worker of a tree machine on a thread: takes messages, and runs tasks one at a time.
//
// A task is called on the stack where the node takes messages, so one that does not wait costs no
// change of stacks. When it waits, its stack stays as it is, the node goes on taking messages on
// another one, and comes back to the task's when the wait is over.
//
// Threads: its own, but for wake().
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/agent_context.hpp"
#include "cluster/agent_log.hpp"
#include "plat/clock.hpp"
#include "plat/fiber.hpp"
#include "plat/jitter.hpp"
#include "sched/worker.hpp"
#include "sync/atomic.hpp"
#include "transport/threads/wires.hpp"

namespace myr::cluster::threads {

using transport::threads::Port;

class WorkerNode final : public AgentContext, private sched::Hands {
 public:
  // `stopping`: see run(). `chaos`: a seed, see Options.
  WorkerNode(const sched::Topology& topology, AgentId self, Port& port,
             const sync::Atomic<bool>& stopping, std::optional<std::uint64_t> chaos);
  ~WorkerNode() = default;

  // Before it runs: keep account of its time. `timeline`: may be nullptr.
  void watch(trace::Timeline* timeline);
  // Once it has ended.
  [[nodiscard]] AgentUsage usage() const;

  // The calling thread is the node's, and main runs on it already.
  void adopt_main(UserTask& main);
  // The calling thread is the node's. Runs tasks until `stopping` is set.
  void run();
  void wake() { port_.wake(); }

 private:
  // ---- AgentContext
  void send(AgentId to, proto::Body body) override;
  void send_spawn(proto::Spawn spawn) override;
  void await_answer() override;
  void await_wait_over() override;
  void ended(proto::TaskId task, std::uint32_t accesses) override;
  [[nodiscard]] plat::StackBounds stack() const override { return fiber_->stack(); }
  void task_begins(const UserTask& task) override;
  void task_stops() override;
  void before_blocking() override { port_.flush(); }
  void call_begins() override { change(trace::State::Runtime); }
  void call_returns() override { change(trace::State::Task); }
  // ---- Hands
  void fetch(const proto::Work& work) override { fetched_.push_back(work.task); }
  void begin(const proto::Work& work) override { to_begin_ = work; }
  void go_on(proto::TaskId task) override { to_go_on_ = task; }
  void take_answer(proto::RegionMade made) override {
    answer(made);
    is_answered_ = true;
  }
  void take_answer(proto::Allocated allocated) override {
    answer(std::move(allocated));
    is_answered_ = true;
  }

  void serve();
  static void serve_on_new_stack(void* node);
  bool handle_message();
  void park();
  void delay() {
    if (chaos_) chaos_->delay();
  }
  void change(trace::State state) {
    if (log_) log_->change(state, plat::ticks());
  }
  void return_to_task();
  void switch_to(plat::Fiber& next);
  [[nodiscard]] plat::Fiber& idle_stack(const myr_site* site);

  Port& port_;
  AgentId scheduler_;
  const sync::Atomic<bool>& stopping_;
  sched::Worker worker_;
  std::deque<proto::TaskId> fetched_;  // memory is shared: at once
  std::optional<proto::Work> to_begin_;
  std::optional<proto::TaskId> to_go_on_;
  bool is_answered_ = false;
  std::optional<AgentLog> log_;  // none: nobody watches
  std::optional<plat::Jitter> chaos_;

  std::unique_ptr<plat::Fiber> home_;  // the thread's own stack
  plat::Fiber* fiber_ = nullptr;       // the stack on which it is
  std::vector<std::unique_ptr<plat::Fiber>> others_;
  std::vector<plat::Fiber*> idle_;  // nothing is on them but serve()
  std::unordered_map<proto::TaskId, plat::Fiber*> waiting_;
};

}  // namespace myr::cluster::threads
