// SPDX-License-Identifier: Apache-2.0
//
// NodeContext: what a task sees of the machine on one thread of a node: the engine's worker, except
// for what concerns the schedulers: tasks that are spread, and memory, which is theirs. A task is
// spread if it goes to schedulers when it is spawned, and local if the engine has it from its spawn
// to its end. Each kind of machine says how accesses become messages, and where memory comes from.
//
// Threads: the worker's, but answer() under the lock of the node's port.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/thread_context.hpp"
#include "cluster/agent_log.hpp"
#include "cluster/misuse.hpp"
#include "cluster/spread_task.hpp"
#include "cluster/step_recorder.hpp"
#include "engine/engine.hpp"
#include "engine/outside.hpp"
#include "sched/worker.hpp"

namespace myr::cluster {

using proto::AgentId;

[[nodiscard]] inline proto::Mode mode_of(const myr_access& access) noexcept {
  return (access.flags & MYR_OUT) != 0 ? proto::Mode::Write : proto::Mode::Read;
}

class NodeContext;

// What a node does for its contexts.
class NodeServices {
 public:
  struct Shape {
    unsigned threads;
    unsigned first_worker;  // of all of the machine
    unsigned worker_count;
    std::uint64_t spreading_ticks = 0;  // what it takes to spread a task, in ticks of the clock
    bool has_long_steps = false;        // main tells ahead as many runs of a step as it likes
  };
  NodeServices(const sched::Topology& topology, AgentId self, const Shape& shape)
      : topology_(topology), self_(self), shape_(shape) {
    main_.id = proto::kMain;
    main_.children = SpreadTask::Children::Spread;
  }
  NodeServices(const NodeServices&) = delete;
  NodeServices& operator=(const NodeServices&) = delete;

  [[nodiscard]] const sched::Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] AgentId self() const noexcept { return self_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] SpreadTask& main() noexcept { return main_; }

  // A message from a task.
  virtual void send(AgentId to, proto::Body body) = 0;
  // The same; returns when the schedulers can follow.
  virtual void send_spawn(engine::Worker& worker, proto::Spawn spawn) = 0;
  // The running task waits until schedulers say that it may go on. Returns then; the waiter is
  // gone.
  virtual void pause(engine::Worker& worker, proto::TaskId task, graph::Task* waiter, AgentId to,
                     proto::Body body) = 0;
  // Sends a question, and returns when the context has the answer.
  virtual void ask(NodeContext& context, AgentId to, proto::Body question) = 0;
  // Has some worker below the scheduler nothing to do? A hint.
  [[nodiscard]] virtual bool is_work_wanted_below(AgentId scheduler) const = 0;

  // The body of the task, whose frames lay below `frame`, has returned.
  void tell_locals_gone(const engine::Worker& worker, const SpreadTask& task, const void* frame);

 protected:
  ~NodeServices() = default;

  const sched::Topology& topology_;
  const AgentId self_;

 private:
  const Shape shape_;
  SpreadTask main_;  // if it runs here
};

// A node whose threads run tasks: a worker of the tree; any of them takes messages for it.
class ThreadedNode : public NodeServices, public engine::Outside, protected sched::Hands {
 public:
  ThreadedNode(const sched::Topology& topology, AgentId self, const Shape& shape, sched::Data& data,
               const sched::Worker::Options& options)
      : NodeServices(topology, self, shape), agent_(*this, data, self, options) {}

  // ---- NodeServices
  void send(AgentId to, proto::Body body) final;
  void send_spawn(engine::Worker& worker, proto::Spawn spawn) final;
  void pause(engine::Worker& worker, proto::TaskId task, graph::Task* waiter, AgentId to,
             proto::Body body) final;
  void ask(NodeContext& context, AgentId to, proto::Body question) final;

 protected:
  ~ThreadedNode() = default;

  // The usage of the engine's workers from `first` on, which are this node's.
  [[nodiscard]] AgentUsage usage_of(engine::Engine& engine, unsigned first, unsigned count) const;

  // ---- Outside
  [[nodiscard]] bool has_spread(const graph::Task& task) const override;
  void await_spread(engine::Worker& worker, graph::Task& task, const void* frame) override;

  // ---- under the lock
  using sched::Hands::take_answer;
  void give_back(proto::GivenBack answer) override;
  void take_answer(proto::RegionMade answer) override;
  void take_answer(proto::Allocated answer) override;
  virtual void post(AgentId to, proto::Body body) = 0;
  // The schedulers cannot follow: what this node has is enough for now.
  [[nodiscard]] virtual bool is_backed_up() const = 0;
  // None: nobody here pauses that task.
  [[nodiscard]] graph::Task* take_waiter(proto::TaskId task);

  // Takes messages until `done`, which is asked under the lock. The thread runs no tasks meanwhile.
  virtual void take_messages_until(engine::Worker& worker, const std::function<bool()>& done) = 0;

  std::mutex lock_;      // of what is sent and received
  sched::Worker agent_;  // under the lock

 private:
  std::unordered_map<proto::TaskId, graph::Task*> waiters_;  // of tasks that pause; under the lock
};

class NodeContext : public base::ThreadContext, private StepRecorder::Main {
 public:
  NodeContext(NodeServices& node, engine::Worker& worker) noexcept;
  virtual ~NodeContext() = default;

  // The calling thread is the worker's.
  void adopt_thread();
  [[nodiscard]] engine::Worker& worker() noexcept { return worker_; }
  void answer(proto::RegionMade made);
  void answer(proto::Allocated allocated);
  [[nodiscard]] bool is_answered() const noexcept { return is_answered_; }
  // Main is over: the thread has no context any more.
  static void leave_thread();

  // ---- ThreadContext
  [[nodiscard]] myr_draft new_draft(std::size_t closure_bytes, std::size_t access_count) override;
  void set_priority(const myr_draft& draft, int priority) override;
  void submit(const myr_draft& draft, myr_body body, const myr_site* site) override;
  void submit_two(const myr_draft& draft, const myr_two_bodies& bodies, std::size_t last_count,
                  const myr_site* site) override;
  void spawn(myr_function function, const myr_access* accesses, std::size_t count,
             const myr_site* site) override;
  void wait(const myr_access* accesses, std::size_t count, const myr_site* site) override;
  void wait_all() override;
  [[nodiscard]] std::uint64_t new_event(const myr_site* site) override;
  [[nodiscard]] sync::EventHolder* event_holder() override { return worker_.event_holder(); }
  void fail(base::Exception exception) override;
  [[nodiscard]] base::SerialPlace serial_place() const override { return worker_.serial_place(); }
  [[nodiscard]] std::optional<base::Failure> take_failure() override;
  void cancel_region(myr_region region, const myr_site* site) override;
  [[nodiscard]] bool is_cancelled() override { return worker_.is_cancelled(); }
  [[nodiscard]] myr_region region_around(myr_region region) override {
    return worker_.region_around(region);
  }
  // What runs on a guest's own thread, runs beside worker 0.
  [[nodiscard]] unsigned worker_index() const override {
    const unsigned index = worker_.index() < node_.shape().threads ? worker_.index() : 0;
    return node_.shape().first_worker + index;
  }
  [[nodiscard]] unsigned worker_count() const override { return node_.shape().worker_count; }
  [[nodiscard]] bool splits_loops() const override;
  [[nodiscard]] bool submit_whole(const base::WholeLoop& loop, const myr_site* site) override;
  void submit_to(const sync::Placement& best, const myr_draft& draft, myr_body body,
                 const myr_site* site) override;
  [[nodiscard]] bool is_work_wanted() const override;
  [[nodiscard]] std::optional<unsigned> take_beggar() override;
  [[nodiscard]] bool runs_main() const override { return worker_.runs_main(); }
  void begin_step(std::unique_ptr<base::StepRecord>& record, const myr_site* site) override;
  void end_step(base::StepRecord* record, const myr_site* site) override;
  void free_record(base::StepRecord* record, const myr_site*) override { steps_.forget(record); }
  void main_ends(const void* kept) override;
  void disown() override { worker_.disown(); }

 protected:
  // Checks the access of `task`, and says the same to schedulers.
  virtual void declare(SpreadTask& parent, myr_access& access, graph::Task& task,
                       proto::Task& message) = 0;
  // Makes the task into what messages carry of it.
  virtual void hand_over(SpreadTask& parent, graph::Task& task, proto::Task& message) = 0;
  // Can schedulers cut the loop of the task, which spreads it?
  [[nodiscard]] virtual bool may_go_whole(const SpreadTask&, const base::WholeLoop&) const {
    return false;
  }
  // hand_over() of such a loop. `whole`: a task that nobody knows, with room for a LoopOnNodes; it
  // has the loop's site. False: it cannot be handed over.
  [[nodiscard]] virtual bool hand_over_loop(SpreadTask&, graph::Task&, const base::WholeLoop&,
                                            proto::Task&) {
    return false;
  }
  // The same for a call.
  [[nodiscard]] virtual std::uint64_t program_of_call(const myr_site* site, Call call) const = 0;
  // May main keep its tasks, too, if they are small?
  [[nodiscard]] virtual bool main_may_keep() const { return false; }
  // Must the task spread its children, as what they use is not here?
  [[nodiscard]] virtual bool must_spread(const SpreadTask&) const { return false; }
  // Does every loop go whole that can?
  [[nodiscard]] virtual bool prefers_whole_loops() const { return false; }
  // Can schedulers replay a step that main marks?
  [[nodiscard]] virtual bool replays_steps() const { return true; }

  // The running task's; nullptr: it is local, and so is all that it spawns.
  [[nodiscard]] SpreadTask* running() const noexcept;
  // The running task, if some of its children have been spread and not been waited for.
  [[nodiscard]] SpreadTask* running_spreader() const noexcept;
  [[nodiscard]] bool is_draft_spread() const noexcept { return is_draft_spread_; }
  // The running task, if it spreads what it spawns now. Decides, if need be; so ask once for each
  // task.
  [[nodiscard]] SpreadTask* spreader();
  // spawn(), with what spreader() has said.
  void spawn_from(SpreadTask* parent, myr_function function, const myr_access* accesses,
                  std::size_t count, const myr_site* site);
  // A spread child of the task is given the memory from there on: on the stack, perhaps.
  void note_lent_stack(SpreadTask& parent, std::uint64_t first) const noexcept;
  // A task that spreads knows what it has freed before the schedulers do.
  void check_not_freed(myr_region region, const char* call, const myr_site* site) const;
  // Freeing is like spawning a task that frees: so it comes behind the tasks that use the memory.
  void send_free(SpreadTask& parent, proto::Purpose purpose, proto::NodeId node,
                 const myr_site* site);
  // Schedulers make it; `asker`: the node.
  [[nodiscard]] myr_region ask_for_region(AgentId asker, myr_region parent, int level_hint,
                                          const myr_site* site);
  void ask_for_objects(AgentId asker, std::size_t bytes, myr_region region, std::size_t count,
                       void** objects, const char* call, const myr_site* site);
  // A question of another kind begins; it is answered.
  void begin_question() { is_answered_ = false; }
  void end_question();

  NodeServices& node_;
  engine::Worker& worker_;

 private:
  // ---- StepRecorder::Main
  void tell(proto::Body message) override { node_.send(proto::kTop, std::move(message)); }
  void send_spawn(proto::Spawn spawn) override { node_.send_spawn(worker_, std::move(spawn)); }
  [[nodiscard]] proto::TaskPtr make_unit(const myr_site* site) override;
  void tell_run(proto::StepRun run) override;

  [[nodiscard]] bool is_to_spread(const SpreadTask& task) const;
  [[nodiscard]] bool is_better_in_parts(const SpreadTask& parent,
                                        const base::WholeLoop& loop) const;
  void pay_for_spreading();
  void spread(SpreadTask& parent, graph::Task& task);
  [[nodiscard]] std::unique_ptr<proto::Task> make_task(SpreadTask& parent, proto::Purpose purpose,
                                                       std::uint64_t program);
  void issue(const SpreadTask& parent, proto::TaskPtr spawn);
  void leave_step(const SpreadTask& task);
  void wait_for_spread(SpreadTask& task);
  void pause(SpreadTask& task, graph::Task* waiter, proto::Body body);

  bool is_draft_spread_ = false;  // the one that is drafted and not submitted
  // Until then, in ticks, tasks that run here keep what they spawn.
  std::uint64_t spreads_again_ = 0;
  bool is_answered_ = false;
  proto::RegionMade made_{};
  proto::Allocated allocated_{};
  StepRecorder steps_;  // if main runs here
};

}  // namespace myr::cluster
