// SPDX-License-Identifier: Apache-2.0
//
// What one task of a random program may do at the present point of its body. The rules are those of
// docs/semantics.md: a task may touch its footprint, except what it has handed to children and not
// waited for; it knows what existed when it started, what it made itself, and what its children
// made once it has waited for the region that holds it.
#pragma once

#include <vector>

#include "world.hpp"

namespace myr::random_test {

class Frame {
 public:
  Frame(const World& world, const Frame* parent, unsigned task, std::vector<Access> footprint,
        unsigned time)
      : world_(world),
        parent_(parent),
        task_(task),
        depth_(parent == nullptr ? 0 : parent->depth_ + 1),
        start_(time),
        footprint_(std::move(footprint)) {}

  [[nodiscard]] unsigned task() const { return task_; }
  [[nodiscard]] unsigned depth() const { return depth_; }
  [[nodiscard]] const std::vector<Access>& footprint() const { return footprint_; }

  void on_local(const Access& local) { footprint_.push_back(local); }
  void on_spawn(const Access& access, unsigned time);
  void on_wait(const Access& access, unsigned time);
  void on_wait_all(unsigned time);

  // All regions and objects of the footprint that the task can name now, each with its widest mode.
  [[nodiscard]] std::vector<Access> reachable() const;
  // May the task itself read or write this now?
  [[nodiscard]] bool may_touch(const Target& target, Mode mode) const;
  // May the task allocate in this region? Free it, or this object? (The calls wait by themselves.)
  [[nodiscard]] bool may_allocate_in(unsigned region) const;
  [[nodiscard]] bool may_free(const Target& target) const;
  // Is this in the footprint, as data and not only to be handed on?
  [[nodiscard]] bool holds_data(const Target& target, Mode mode) const;
  // In which way the task, and all below it, has to use this because of others.
  [[nodiscard]] Way way_of(const Target& target) const;

 private:
  struct Event {
    bool is_wait;
    bool is_everything;
    Access access;
    unsigned time;
  };

  [[nodiscard]] bool knows(const Target& target, Birth birth, unsigned home,
                           const Access& held) const;
  [[nodiscard]] bool can_name(const Target& target) const;
  [[nodiscard]] bool settled(const Event& spawn, const Target& target, Mode mode) const;
  [[nodiscard]] bool is_argument_here_or_above(const Target& target) const;

  const World& world_;
  const Frame* parent_;
  unsigned task_;
  unsigned depth_;
  unsigned start_;
  std::vector<Access> footprint_;
  std::vector<Event> log_;
};

[[nodiscard]] constexpr bool writes(Mode mode) { return mode != Mode::In; }

}  // namespace myr::random_test
