// SPDX-License-Identifier: Apache-2.0
//
// RankContext: a node's context where each node is a process: tasks that are spread become bytes,
// objects are others', and the context asks for what the engine has to know of them when that is
// first needed.
//
// Threads: the worker's, but answer() and one_knows() under the lock of the node.
#pragma once

#include <vector>

#include "cluster/mpi/rank_node.hpp"
#include "cluster/node_context.hpp"

namespace myr::cluster::mpi {

class RankContext final : public NodeContext {
 public:
  RankContext(RankNode& node, engine::Worker& worker) noexcept;

  using NodeContext::answer;
  void answer(proto::Described described);
  void answer(const proto::Lent& lent);
  // How many processes a variable's value goes to; one of them has it.
  void begin_share(unsigned count);
  void one_knows();

  // ---- ThreadContext
  [[nodiscard]] myr_draft new_draft(std::size_t closure_bytes, std::size_t access_count) override;
  void keep_here(const myr_draft&) override { draft_stays_ = true; }
  void save(const myr_draft&, const myr_closure_kind* kind) override { draft_kind_ = kind; }
  void submit(const myr_draft& draft, myr_body body, const myr_site* site) override;
  void submit_two(const myr_draft& draft, const myr_two_bodies& bodies, std::size_t last_count,
                  const myr_site* site) override;
  void submit_to(const sync::Placement& best, const myr_draft& draft, myr_body body,
                 const myr_site* site) override;
  void spawn(myr_function function, const myr_access* accesses, std::size_t count,
             const myr_site* site) override;
  void wait(const myr_access* accesses, std::size_t count, const myr_site* site) override;
  void wait_all() override;
  [[nodiscard]] bool tell_event(std::uint64_t event, base::Exception& failure,
                                const myr_site* site) override;
  [[nodiscard]] myr_region new_region(myr_region parent, int level_hint,
                                      const myr_site* site) override;
  void free_region(myr_region region, const myr_site* site) override;
  void cancel_region(myr_region region, const myr_site* site) override;
  // One for all: a task that stays here has a stand-in for its parent, which says nothing of it.
  [[nodiscard]] base::SerialPlace serial_place() const override { return {}; }
  [[nodiscard]] myr_region region_around(myr_region region) override;
  void keep_region_here(myr_region region, const myr_site* site) override;
  void allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                const char* call, const myr_site* site) override;
  [[nodiscard]] void* reallocate(void* object, std::size_t bytes, myr_region region,
                                 const myr_site* site) override;
  void free(void* object, const myr_site* site) override;
  void publish(const void* first, std::size_t bytes, const myr_site* site) override;
  [[nodiscard]] bool spawns_for_others() override { return spreader() != nullptr; }

 private:
  void declare(SpreadTask& parent, myr_access& access, graph::Task& task,
               proto::Task& message) override;
  void hand_over(SpreadTask& parent, graph::Task& task, proto::Task& message) override;
  [[nodiscard]] bool may_go_whole(const SpreadTask& parent,
                                  const base::WholeLoop& loop) const override;
  [[nodiscard]] bool hand_over_loop(SpreadTask& parent, graph::Task& whole,
                                    const base::WholeLoop& loop, proto::Task& message) override;
  void before_handing_over(SpreadTask& parent);
  [[nodiscard]] std::uint64_t program_of_call(const myr_site* site, Call call) const override;
  [[nodiscard]] bool main_may_keep() const override { return !rank_.is_tested(); }
  [[nodiscard]] bool must_spread(const SpreadTask& task) const override;

  // A child that is spread may be given these bytes of an object, as far as that is known here.
  [[nodiscard]] bool may_hold(const myr_access& access) const;
  // The engine is about to look these up.
  void know(const myr_access* accesses, std::size_t count);
  void know_own(myr_access& own, bool has_length);
  void know_region(myr_region region);
  void know_object(const void* address);
  void ask_about(proto::NodeId node, AgentId whom);
  [[nodiscard]] graph::Task& holding() const;
  [[nodiscard]] SpreadTask& holding_task() const;
  [[nodiscard]] proto::TaskId holder() const { return holding_task().id; }
  [[nodiscard]] KnownMemory::Stamp stamp() const;
  [[nodiscard]] bool makes_regions_in(myr_region parent, int level_hint) const;
  [[nodiscard]] bool borrow(myr_region from, std::uint64_t pages);
  void check_may_change(myr_region region, const char* call, const myr_site* site);
  void free(void* object, const char* call, const myr_site* site);

  RankNode& rank_;
  std::size_t draft_bytes_ = 0;                   // of the closure of the one that is drafted
  bool draft_stays_ = false;                      // it is more than these
  const myr_closure_kind* draft_kind_ = nullptr;  // the same, but can be saved
  proto::Described described_{};
  KnownMemory::Stamp described_at_ = 0;
  std::size_t lent_indices_ = 0;
  std::size_t lent_runs_ = 0;  // of pages
  unsigned sharing_ = 0;       // processes that do not know yet what is shared
};

}  // namespace myr::cluster::mpi
