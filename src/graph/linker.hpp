// SPDX-License-Identifier: Apache-2.0
//
// Linker: makes one task wait for others. Used when a task is spawned (for every conflict in its
// parent's domain) and when a task ends before its children (what waited for it now waits for those
// of the children that touch the same memory).
//
// Threads: one worker's; lives on its stack for one task.
#pragma once

#include <vector>

#include "graph/conflict_sink.hpp"
#include "graph/recycler.hpp"
#include "graph/region_space.hpp"
#include "graph/task.hpp"
#include "graph/task_arena.hpp"

namespace myr::graph {

class Linker final : public ConflictSink {
 public:
  // `waiter`: a task that cannot become ready while the linker lives.
  Linker(Task& waiter, Recycler& recycler, const RegionSpace& space) noexcept
      : Linker(waiter, TaskArena::ref(&waiter), recycler, space) {}
  // The same, where `self` uses the memory later: `stand_in` waits for it.
  Linker(Task& stand_in, TaskRef self, Recycler& recycler, const RegionSpace& space) noexcept
      : ConflictSink(self), waiter_(stand_in), recycler_(recycler), space_(space) {}

  // For the thread that spawns `waiter`, before anybody else knows it: its own edge is unused.
  void use_own_edge() noexcept { free_edge_ = &waiter_.edge; }

  // How many predecessors were linked. They will each be counted off `waiter.waiting`.
  [[nodiscard]] std::uint32_t linked() const noexcept { return linked_; }
  // Counts one in that only the caller will take off.
  void hold_back() noexcept { linked_ += 1; }
  // How many edges were made, those of joins too.
  [[nodiscard]] std::uint32_t edges() const noexcept { return linked_ + joined_; }

  [[nodiscard]] TaskRef join(const RefSet& members, const myr_access& memory) override;

  // Makes the waiter wait for the conflicting children of `ended`, which is closed and stays so
  // meanwhile. For the thread that ends it, and has not counted it off the waiter yet.
  void inherit(const Task& ended);

 private:
  static constexpr unsigned kEdgesPerBlock = 10;

  // Makes the waiter wait for that task, unless it is complete; for its children if it has ended.
  void wait_for(TaskRef on) override;
  void inherit_closed(TaskRef on);
  void inherit_met();
  void meet_children(const Task& ended);
  void wait_for_own(const Task& ended);
  [[nodiscard]] Task* new_join(std::uint32_t access_count);
  [[nodiscard]] TaskRef finish_join(Task& join, const Linker& linker);
  [[nodiscard]] Edge* next_edge();
  [[nodiscard]] Task* allocate(std::size_t payload_bytes);

  Task& waiter_;
  Recycler& recycler_;
  const RegionSpace& space_;
  Edge* free_edge_ = nullptr;
  std::byte* block_next_ = nullptr;  // unused edges of the newest block
  unsigned block_left_ = 0;
  std::uint32_t linked_ = 0;
  std::uint32_t joined_ = 0;
  std::uint32_t held_ = 0;               // edges counted in before they are made,
  bool holds_ = false;                   // because others take them off at once
  std::vector<TaskRef>* met_ = nullptr;  // while inheriting: closed tasks still to be looked into
  TaskRef inherited_;                    // the last closed task that was not met below another
};

// Would the waiter, whose accesses are checked, have to wait for a child of this family, or for one
// below those that have ended? Nobody learns that it has asked. For the thread that runs the
// family's task. Order: if not, what those that it conflicts with wrote is visible [graph.end].
[[nodiscard]] bool has_open_conflict(const Interior& family, Task& waiter, Recycler& recycler,
                                     const RegionSpace& space);

// A task that still uses some of these bytes, which are not Myrmidon's memory, among those of a
// domain and their descendants; or none.
[[nodiscard]] TaskRef find_unmanaged_user(const Domain& domain, std::uint64_t begin,
                                          std::uint64_t end, Recycler& recycler);

}  // namespace myr::graph
