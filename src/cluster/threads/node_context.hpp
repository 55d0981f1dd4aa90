// SPDX-License-Identifier: Apache-2.0
//
// NodeContext: what a task sees of the machine on one thread of a node: the engine's worker, but
// for what concerns the schedulers: tasks that are spread, and memory, which is theirs.
//
// Threads: the worker's, but answer() under the lock of the node's port.
#pragma once

#include <optional>

#include "base/thread_context.hpp"
#include "cluster/threads/node.hpp"

namespace myr::cluster::threads {

class NodeContext final : public base::ThreadContext {
 public:
  NodeContext(Node& node, engine::Worker& worker) noexcept;
  ~NodeContext() = default;

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
  void spawn(myr_function function, const myr_access* accesses, std::size_t count,
             const myr_site* site) override;
  void wait(const myr_access* accesses, std::size_t count, const myr_site* site) override;
  void wait_all() override;
  [[nodiscard]] std::uint64_t new_event(const myr_site* site) override;
  void fail(base::Exception exception) override;
  [[nodiscard]] std::optional<base::Failure> take_failure() override;
  [[nodiscard]] myr_region new_region(myr_region parent, int level_hint,
                                      const myr_site* site) override;
  void free_region(myr_region region, const myr_site* site) override;
  void cancel_region(myr_region region, const myr_site* site) override;
  [[nodiscard]] bool is_cancelled() override { return worker_.is_cancelled(); }
  void allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                const char* call, const myr_site* site) override;
  [[nodiscard]] void* reallocate(void* object, std::size_t bytes, myr_region region,
                                 const myr_site* site) override;
  void free(void* object, const myr_site* site) override;
  [[nodiscard]] unsigned worker_index() const override {
    return node_.first_worker() + worker_.index();
  }
  [[nodiscard]] unsigned worker_count() const override { return node_.commons().worker_count(); }
  [[nodiscard]] bool splits_loops() const override;
  void submit_to(unsigned worker, const myr_draft& draft, myr_body body,
                 const myr_site* site) override;
  [[nodiscard]] bool is_work_wanted() const override;
  [[nodiscard]] std::optional<unsigned> take_beggar() override;
  [[nodiscard]] bool runs_main() const override { return worker_.task()->parent == nullptr; }
  void main_returned() override;

 private:
  // Of the running task; nullptr: it is local, and so is all that it spawns.
  [[nodiscard]] SpreadTask* running() const noexcept;
  // The running task, if some of its children have been spread and not been waited for.
  [[nodiscard]] SpreadTask* running_spreader() const noexcept;
  // The running task, if it spreads what it spawns now. Decides, if need be.
  [[nodiscard]] SpreadTask* spreader();
  [[nodiscard]] bool is_to_spread(const SpreadTask& task) const;
  void pay_for_spreading();
  void spread(SpreadTask& parent, graph::Task& task);
  [[nodiscard]] std::unique_ptr<proto::Task> make_task(SpreadTask& parent, proto::Purpose purpose,
                                                       std::uint64_t program);
  void declare(SpreadTask& parent, myr_access& access, graph::Task& task, proto::Task& message);
  void wait_for_spread(SpreadTask& task);
  void pause(SpreadTask& task, graph::Task* waiter, proto::Body body);

  // node_memory.cpp
  void check_not_freed(myr_region region, const char* call, const myr_site* site) const;
  void send_free(SpreadTask& parent, proto::Purpose purpose, proto::NodeId node,
                 const myr_site* site);
  void free(void* object, const char* call, const myr_site* site);

  Node& node_;
  engine::Worker& worker_;
  bool is_draft_spread_ = false;  // the one that is drafted and not submitted
  // Until then, in ticks, tasks that run here keep what they spawn.
  std::uint64_t spreads_again_ = 0;
  bool is_answered_ = false;
  proto::RegionMade made_{};
  proto::Allocated allocated_{};
};

}  // namespace myr::cluster::threads
