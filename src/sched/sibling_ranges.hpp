// SPDX-License-Identifier: Apache-2.0
//
// SiblingRanges: the order among the children of one task that use the same bytes: of memory
// outside of all regions (stacks, globals, malloc), and of objects of which they use parts. A child
// waits until those before it that it conflicts with have completed, with all their descendants.
//
// Invariant: users may be children that have completed. They are forgotten when that is cheap:
// those of a list when it is full, others when there are twice as many fragments as were in use the
// last time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/stable_map.hpp"
#include "deps/range_map.hpp"
#include "proto/messages.hpp"

namespace myr::sched {

class SiblingRanges {
 public:
  // The next child in serial order. True: it must wait for others. Cost for each of its ranges:
  // O(log fragments + uses of others in the range), or of others of the very range.
  [[nodiscard]] bool enter(const proto::Task& child) { return enter(child, Role::Child); }
  // Before any child. All that use some of the ranges of the owner itself, read or written, wait
  // until complete() of it.
  void stand_in(const proto::Task& owner) { static_cast<void>(enter(owner, Role::StandIn)); }
  // The program of a child that uses some of the range and has not completed.
  [[nodiscard]] std::optional<std::uint64_t> user_of(const proto::UsedRange& range) const;
  // The child has completed. Returns those that need not wait any more. Cost: O(children that wait
  // for it).
  [[nodiscard]] std::vector<proto::TaskId> complete(proto::TaskId child);

  // For tests: how much memory it takes; children, and joins, that wait for one.
  [[nodiscard]] std::size_t fragment_count() const noexcept { return ranges_.size(); }
  [[nodiscard]] std::size_t edge_count() const noexcept { return edges_; }

 private:
  using TaskId = proto::TaskId;
  using TaskIds = std::vector<TaskId>;

  // Or a join, which stands for others until all of them have completed.
  struct Child {
    std::uint64_t program;
    std::size_t missing = 0;  // children that it waits for
    TaskIds successors = {};
    TaskIds members = {};  // of a join
  };
  // A child that is being entered.
  struct Sink {
    SiblingRanges& siblings;
    TaskId child;
  };
  // See deps::RangeMap.
  struct Users {
    using Tasks = TaskIds;
    enum class Way { Usual };
    static constexpr std::size_t kWays = 1;

    TaskId writer = 0;  // main, if nobody; main is no child
    TaskIds readers = {};

    template <class Memory>
    void enter(bool writes, Way way, Memory&&, Sink& sink) {
      report(writes, way, sink);
      if (!writes) return add_self(readers, sink);
      readers.clear();
      writer = sink.child;
    }
    void report(bool writes, Way, Sink& sink) const {
      sink.siblings.wait_for(writer, sink.child);
      if (writes) report_all(readers, sink);
    }
    void meet(bool writes, Way way, deps::Bytes bytes, Sink& sink) {
      if (writes) fan_in(readers, bytes, sink);
      report(writes, way, sink);
    }
    template <class Visit>
    void for_each(Visit&& visit) const {
      if (writer != 0) visit(true, Way::Usual, writer);
      for (const TaskId reader : readers) visit(false, Way::Usual, reader);
    }
    static void add(TaskIds& tasks, TaskId task, Sink& sink) { sink.siblings.add(tasks, task); }
    static void add_self(TaskIds& tasks, Sink& sink) { sink.siblings.add(tasks, sink.child); }
    static void add_all(TaskIds& tasks, const TaskIds& others, Sink& sink) {
      for (const TaskId task : others) sink.siblings.add(tasks, task);
    }
    void thin(deps::Bytes bytes, Sink& sink) { fan_in(readers, bytes, sink); }
    static void report_all(const TaskIds& tasks, Sink& sink) {
      for (const TaskId task : tasks) sink.siblings.wait_for(task, sink.child);
    }
    static void fan_in(TaskIds& tasks, deps::Bytes, Sink& sink) {
      if (tasks.size() >= kMany) sink.siblings.join(tasks, sink.child);
    }
    template <class SomeTasks>
    static bool is_over(SomeTasks& tasks, Sink& sink) {
      return sink.siblings.is_over(tasks);
    }
    static deps::Bytes memory_of(deps::Bytes bytes) { return bytes; }
  };

  static constexpr std::size_t kMany = 8;

  enum class Role { Child, StandIn };
  [[nodiscard]] bool enter(const proto::Task& child, Role role);
  void wait_for(TaskId elder, TaskId child);
  void add(TaskIds& tasks, TaskId child);
  void join(TaskIds& tasks, TaskId child);
  void drop_completed(TaskIds& tasks) const;
  [[nodiscard]] bool is_over(TaskIds& tasks) const;
  [[nodiscard]] bool is_over(Users& users) const;
  [[nodiscard]] const Child* find_child(TaskId task) const;

  deps::RangeMap<Users> ranges_;
  base::StableMap<Child> children_;  // that have not completed
  TaskId last_join_ = 0;             // counted down from the last number, which is no child's
  std::size_t edges_ = 0;
};

}  // namespace myr::sched
