// SPDX-License-Identifier: Apache-2.0
//
// Order: which tasks of a serial run have ended, in every schedule, when others begin. A task waits
// for its siblings with which its accesses conflict, for all that these wait for, and for what its
// parent had waited for when it spawned it.
//
// Children of a task, and its waits between them, are the steps of a graph, each with the steps
// right before it. To tell whether one step comes before another, a search goes back from the later
// one, the latest steps first, as far as the earlier one.
//
// Threads: one. Cost: some words for each step and each edge. A question looks at the steps between
// the two, once for consecutive questions about the same later step, and at the tasks above the
// earlier one, up to the common ancestor of the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

namespace myr::check {

class Order {
 public:
  using Id = std::uint32_t;
  static constexpr Id kMain = 0;

  Order() : steps_(1) {}

  // A child of the running task begins, and waits for these siblings; for the `weak` ones only its
  // children wait, and the tasks that come after it. Returns its name.
  Id begin(Id parent, const std::vector<Id>& siblings, const std::vector<Id>& weak = {});
  // wait(): the task has waited for these of its children, and for what they wait for; wait_all():
  // for all.
  void wait(Id parent, std::vector<Id> children);
  void wait_all(Id parent);
  // The task has waited for those that its weak accesses name.
  void wait_for_weak(Id task);
  // REQUIRES: main has waited for all of its children. Forgets all names except main's.
  void forget_all();

  // Is the work of `earlier` over before `running`, which runs now, goes on?
  [[nodiscard]] bool is_before(Id earlier, Id running) const;
  [[nodiscard]] Id parent(Id task) const noexcept { return steps_[task].parent; }
  // Is it the other task, or a descendant of it?
  [[nodiscard]] bool is_below(Id task, Id other) const noexcept {
    return ancestor(task, steps_[other].depth) == other;
  }
  // Returns the child of `parent` that is the task or an ancestor of it; kMain: there is none.
  [[nodiscard]] Id child_above(Id task, Id parent) const noexcept {
    const Id child = ancestor(task, steps_[parent].depth + 1);
    return child != kMain && steps_[child].parent == parent ? child : kMain;
  }

 private:
  static constexpr Id kNone = ~Id{0};
  // How far an earlier step is over, seen from a later one.
  enum class Reach : std::uint8_t { None, Step, WithAllBelow };

  struct Step {
    Id parent = kMain;
    Id far_above = kMain;  // so far that log(depth) such leaps and steps reach any one above
    std::uint32_t depth = 0;
    Id last_wait = kNone;          // of a task: the latest step that is a wait
    bool is_for_all = false;       // of a wait: all of the parent's steps so far are before it
    std::uint32_t edge_count = 0;  // to the steps right before it
    std::uint32_t weak_count = 0;  // the last of these
    std::size_t first_edge = 0;
  };
  // What is known to come before one step.
  struct Search {
    Id from = kNone;
    bool is_weak = false;  // are the weak edges of that step looked at, too?
    std::priority_queue<Id> to_look_at = {};
    Id all_below = 0;  // of the same parent's
    std::uint32_t number = 0;
  };

  [[nodiscard]] Id far_above_child_of(Id parent) const noexcept;
  Id add(Id parent, const std::vector<Id>& before, const std::vector<Id>& weak = {});
  // The one at this depth above it; itself, if it is not so deep.
  [[nodiscard]] Id ancestor(Id task, std::uint32_t depth) const noexcept;
  [[nodiscard]] Reach has_waited(Id task, Id child) const;
  [[nodiscard]] Reach reach(Id later, Id earlier, bool is_weak = true) const;
  void look_at(Id step, bool is_weak) const;

  std::vector<Step> steps_;  // in the order in which they begin
  std::vector<Id> edges_;
  mutable Search search_;
  mutable std::vector<std::uint32_t> found_by_;  // the latest search, by step
};

}  // namespace myr::check
