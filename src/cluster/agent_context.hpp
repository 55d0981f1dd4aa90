// SPDX-License-Identifier: Apache-2.0
//
// AgentContext: where a task of the user's program runs on a machine of agents, and what it may ask
// of its worker there: the calls of myr.h, made into messages to the schedulers. How messages
// travel, and what a worker does while a task waits, is the business of a machine: a class of its
// own for threads and for simulated chips.
//
// Threads: a context belongs to one worker, and everything runs on that worker's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/thread_context.hpp"
#include "cluster/misuse.hpp"
#include "cluster/step_recorder.hpp"
#include "cluster/user_task.hpp"
#include "deps/region_tree.hpp"
#include "plat/stack_bounds.hpp"
#include "plat/thread.hpp"
#include "proto/ids.hpp"
#include "proto/messages.hpp"
#include "sched/topology.hpp"

namespace myr::cluster {

using proto::AgentId;

class AgentContext : public base::ThreadContext, private StepRecorder::Main {
 public:
  // ---- the calls of myr.h

  [[nodiscard]] myr_draft new_draft(std::size_t closure_bytes, std::size_t access_count) override;
  void submit(const myr_draft& draft, myr_body body, const myr_site* site) override;
  void spawn(myr_function function, const myr_access* accesses, std::size_t count,
             const myr_site* site) override;
  [[nodiscard]] bool submit_whole(const base::WholeLoop& loop, const myr_site* site) override;
  void wait(const myr_access* accesses, std::size_t count, const myr_site* site) override;
  void wait_all() override;
  [[nodiscard]] std::uint64_t new_event(const myr_site* site) override;
  [[nodiscard]] sync::EventHolder* event_holder() override { return task_->held.get(); }
  void fail(base::Exception exception) override { task_->fail(std::move(exception)); }
  [[nodiscard]] std::optional<base::Failure> take_failure() override;
  [[nodiscard]] myr_region new_region(myr_region parent, int level_hint,
                                      const myr_site* site) override;
  void free_region(myr_region region, const myr_site* site) override;
  void cancel_region(myr_region region, const myr_site* site) override;
  [[nodiscard]] bool is_cancelled() override { return task_->is_cancelled(); }
  [[nodiscard]] myr_region region_around(myr_region region) override {
    return region_tree().around(region);
  }
  void allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                const char* call, const myr_site* site) override;
  [[nodiscard]] void* reallocate(void* object, std::size_t bytes, myr_region region,
                                 const myr_site* site) override;
  void free(void* object, const myr_site* site) override;
  [[nodiscard]] unsigned worker_index() const override { return index_; }
  [[nodiscard]] unsigned worker_count() const override {
    return static_cast<unsigned>(topology_.workers().size());
  }
  [[nodiscard]] bool runs_main() const override { return task_->is_main(); }
  void main_returned() override;
  void begin_step(std::unique_ptr<base::StepRecord>& record, const myr_site* site) override;
  void end_step(base::StepRecord* record, const myr_site* site) override;
  void free_record(base::StepRecord* record, const myr_site*) override { steps_.forget(record); }

  [[nodiscard]] const UserTask& task() const noexcept { return *task_; }

  [[nodiscard]] std::uint64_t tasks_run() const noexcept { return tasks_run_; }
  [[nodiscard]] std::uint64_t tasks_replayed() const noexcept { return tasks_replayed_; }

  // The thread runs no task any more: main is over.
  void end_main() {
    task_stops();
    static_cast<void>(leave());
  }

 protected:
  AgentContext(const sched::Topology& topology, AgentId self) noexcept;
  ~AgentContext() = default;

  // ---- what a machine does for its contexts

  // A message from the running task.
  virtual void send(AgentId to, proto::Body body) = 0;
  void send_spawn(proto::Spawn spawn) override = 0;
  // Returns when answer() has been called.
  virtual void await_answer() = 0;
  // Returns when the wait of the running task is over. Other tasks run meanwhile.
  virtual void await_wait_over() = 0;
  // The body of the task, which runs no more, has ended.
  virtual void ended(const UserTask& task) = 0;
  // Can schedulers replay a step?
  [[nodiscard]] virtual bool replays_steps() const = 0;
  // For those who watch: the running task begins, or goes on after a wait; its body has returned,
  // and its events are over; it ends, or waits; it calls the runtime; the call returns.
  virtual void task_begins(const UserTask&) {}
  virtual void body_returned() {}
  virtual void task_stops() {}
  virtual void call_begins() {}
  virtual void call_returns() {}
  // The thread is going to wait for something outside of the machine.
  virtual void before_blocking() {}
  [[nodiscard]] virtual const deps::RegionTree& region_tree() const = 0;
  // Of the stack on which the running task is.
  [[nodiscard]] virtual plat::StackBounds stack() const = 0;

  // ---- what a context does for its machine

  // Runs a task from its beginning to its end.
  void run(UserTaskPtr task, proto::TaskId id);
  // The thread is going to go on with a task that it has left; or it leaves one.
  void resume(UserTask& task) noexcept {
    task_ = &task;
    set_current(this);
  }
  [[nodiscard]] UserTask& leave() noexcept {
    set_current(nullptr);
    return *std::exchange(task_, nullptr);
  }
  void answer(proto::RegionMade made) { made_ = made; }
  void answer(proto::Allocated allocated) { allocated_ = std::move(allocated); }

  [[nodiscard]] AgentId self() const noexcept { return self_; }

 private:
  // Around what a task calls.
  class Calling {
   public:
    explicit Calling(AgentContext& context) : context_(context) { context_.call_begins(); }
    Calling(const Calling&) = delete;
    Calling& operator=(const Calling&) = delete;
    ~Calling() { context_.call_returns(); }

   private:
    AgentContext& context_;
  };

  void pause();
  void await_events();
  [[nodiscard]] std::unique_ptr<proto::Task> make_task(proto::Purpose purpose,
                                                       std::uint64_t program) const;
  void note_lent_stack(const proto::Task& task) const;
  void tell_locals_gone(const void* frame);
  void declare_all(const char* call, const myr_site* site, myr_access* accesses, std::size_t count,
                   proto::Task& task) const;
  [[nodiscard]] proto::NodeId region_to_change(myr_region region, const char* call,
                                               const myr_site* site);
  [[nodiscard]] UserTask& draft(std::size_t closure_bytes, std::size_t access_count);
  void submit_draft();
  [[nodiscard]] bool holds(std::span<const myr_access> regions) const;
  void run_draft_here();
  void run_body(UserTask& task);
  void issue(proto::TaskPtr spawn);
  void leave_step();
  void tell(proto::Body message) override { send(proto::kTop, std::move(message)); }
  void tell_run(proto::StepRun run) override { send(proto::kTop, std::move(run)); }
  [[nodiscard]] proto::TaskPtr make_unit(const myr_site* site) override;
  void send_off(std::unique_ptr<proto::Task> message);
  void reject_if_replayed(Call call, proto::NodeId node, const myr_site* site) const;
  void free(void* object, const char* call, const myr_site* site);
  void send_free(proto::Purpose purpose, proto::NodeId node, const myr_site* site);

  const sched::Topology& topology_;
  AgentId self_;
  unsigned index_;
  UserTask* task_ = nullptr;  // the running one
  UserTaskPtr draft_;
  StepRecorder steps_;  // main's
  std::optional<proto::RegionMade> made_;
  std::optional<proto::Allocated> allocated_;
  std::uint64_t tasks_run_ = 0;
  std::uint64_t tasks_replayed_ = 0;
  std::uint64_t tasks_spawned_ = 0;
};

}  // namespace myr::cluster
