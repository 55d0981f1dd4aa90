// SPDX-License-Identifier: Apache-2.0
//
// What the tests of this folder share: tasks without bodies, a sink that collects what is reported,
// and the rule by which reports are judged.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "graph/conflict_sink.hpp"
#include "graph/task_arena.hpp"
#include "graph/task_pool.hpp"

namespace myr::graph {

// A new seed for each run; MYR_TEST_SEED=N replays one. Tests CAPTURE it.
inline unsigned test_seed() {
  const char* text = std::getenv("MYR_TEST_SEED");
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10))
                         : std::random_device{}();
}

// A supply of tasks. They are open until complete(); their memory goes back to the supply then.
class TestTasks {
 public:
  TestTasks() : pool_(0) { REQUIRE(static_cast<bool>(TaskArena::reserve())); }
  ~TestTasks() { CHECK(pool_.broken_invariant() == nullptr); }
  TestTasks(const TestTasks&) = delete;
  TestTasks& operator=(const TestTasks&) = delete;

  [[nodiscard]] Task* make(std::size_t payload_bytes = 0) {
    Task* task = pool_.allocate(payload_bytes);
    REQUIRE(task != nullptr);
    return task;
  }
  [[nodiscard]] TaskPool& pool() noexcept { return pool_; }
  [[nodiscard]] TaskRef make_ref() { return TaskArena::ref(make()); }
  void complete(TaskRef ref) {
    Task* task = TaskArena::task(ref.granule());
    static_cast<void>(task->successors.complete());
    pool_.recycle(task);
  }

 private:
  TaskPool pool_;
};

// The tasks of one scenario, at most 64, in spawn order, and which must wait for which. A set of
// them is a word.
class Scenario {
 public:
  using Set = std::uint64_t;
  static constexpr std::size_t kTasksMax = 64;

  explicit Scenario(TestTasks& supply) : supply_(supply) {}
  ~Scenario() {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if ((complete_ >> i & 1) == 0) supply_.complete(tasks_[i]);
    }
    for (const auto& join : joins_) supply_.complete(join.first);
  }
  Scenario(const Scenario&) = delete;
  Scenario& operator=(const Scenario&) = delete;

  [[nodiscard]] std::size_t count() const noexcept { return tasks_.size(); }

  // Collects what is reported for a task, which need not be one of the scenario's.
  class Sink final : public ConflictSink {
   public:
    Sink(Scenario& scenario, TaskRef self) : ConflictSink(self), scenario_(scenario) {}
    [[nodiscard]] Set reported() const noexcept { return reported_; }
    // Stands for its members until the scenario ends.
    TaskRef join(const RefSet& members, const myr_access&) override {
      Set all = 0;
      members.for_each([&](TaskRef member) {
        if (member != self()) all |= scenario_.set_of(member);
      });
      scenario_.joins_.emplace_back(scenario_.supply_.make_ref(), all);
      return scenario_.joins_.back().first;
    }

   private:
    void wait_for(TaskRef on) override { reported_ |= scenario_.set_of(on); }
    Scenario& scenario_;
    Set reported_ = 0;
  };

  // A new task; judge() follows, then settle().
  [[nodiscard]] TaskRef next() { return supply_.make_ref(); }

  // What was reported must be conflicts, or what those wait for, and must imply each conflict that
  // is not complete: a task that is not reported itself must be one that a reported task waits for.
  [[nodiscard]] bool accepts(Set reported, Set conflicts) const {
    return (reported & ~implied_by(conflicts)) == 0 &&
           (conflicts & ~complete_ & ~implied_by(reported)) == 0;
  }
  void settle(TaskRef task, Set reported) {
    REQUIRE(tasks_.size() < kTasksMax);
    before_.push_back(implied_by(reported));
    tasks_.push_back(task);
  }

  // Completes the first task from `from` on that need not wait, if there is one.
  void complete_one(std::size_t from) {
    for (std::size_t i = from; i < tasks_.size(); ++i) {
      if ((complete_ >> i & 1) != 0 || (before_[i] & ~complete_) != 0) continue;
      supply_.complete(tasks_[i]);
      complete_ |= Set{1} << i;
      return;
    }
  }

 private:
  [[nodiscard]] Set set_of(TaskRef task) const {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (tasks_[i] == task) return Set{1} << i;
    }
    for (const auto& [join, members] : joins_) {
      if (join == task) return members;
    }
    FAIL("a task is reported that was never entered");
    return 0;
  }
  [[nodiscard]] Set implied_by(Set reported) const {
    Set all = reported;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if ((reported >> i & 1) != 0) all |= before_[i];
    }
    return all;
  }

  TestTasks& supply_;
  std::vector<TaskRef> tasks_;
  std::vector<std::pair<TaskRef, Set>> joins_;
  std::vector<Set> before_;  // per task: those that it waits for, directly or not
  Set complete_ = 0;
};

}  // namespace myr::graph
