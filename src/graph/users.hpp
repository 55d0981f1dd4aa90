// SPDX-License-Identifier: Apache-2.0
//
// The users of a piece of memory: the last writer, and since then a group of tasks that do not wait
// for each other: readers, or others that run in any order. A new task joins the group if it uses
// the memory in the same way; otherwise it waits for all of the group. If others will have to wait
// for them too, a task without a body takes the place of the group (ConflictSink::join()): so N
// tasks and M tasks after them make N + M edges.
#pragma once

#include "deps/range_map.hpp"
#include "graph/conflict_sink.hpp"
#include "graph/ref_set.hpp"
#include "graph/target.hpp"

namespace myr::graph {

struct Users {
  using Tasks = RefSet;  // as deps::RangeMap wants it
  using Way = Group;
  static constexpr std::size_t kWays = 3;

  TaskRef writer;  // or what stands for all that were before the group
  RefSet group;    // since the writer

  [[nodiscard]] bool is_untouched() const noexcept { return !writer && group.empty(); }
  [[nodiscard]] bool any_live() const noexcept {
    return (writer && !TaskArena::is_complete(writer)) || group.any_live();
  }

  // The sink's task uses the memory in this way from now on. memory(): for join().
  template <class Memory>
  MYR_INLINE void enter(bool writes, Group way, Memory&& memory, ConflictSink& sink) {
    sink.report(writer);
    if (writes && way == Group::None) {
      if (MYR_UNLIKELY(!group.empty())) take_group(sink);
      writer = sink.self();
    } else if (MYR_LIKELY(group.empty() || group.group() == way)) {
      group.add_to_group(sink.self(), way);
    } else {
      begin_group(way, memory(), sink);
    }
  }
  // Reports those that such a task would wait for.
  void report(bool writes, Group way, ConflictSink& sink) const {
    sink.report(writer);
    if (!is_member(writes, way)) report_all(group, sink);
  }
  // report() for one that uses something in the memory; the group stays, as one task if it is many.
  // Each access of each task comes here: the linker alone would inline it or not with the rest of
  // the library's growth, which once cost a task of 15 accesses 12 %.
  MYR_INLINE void meet(bool writes, Group way, const myr_access& memory, ConflictSink& sink) {
    if (!is_member(writes, way)) fan_in(group, memory, sink);
    report(writes, way, sink);
  }
  // Calls visit(writes, way, task) for each.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (writer) visit(true, Group::None, writer);
    const Group way = group.group();
    group.for_each([&](TaskRef task) { visit(way != Group::None, way, task); });
  }
  template <class SomeTasks>
  static bool is_over(const SomeTasks& tasks, ConflictSink&) {
    return !tasks.any_live();
  }
  static void add(RefSet& tasks, TaskRef task, ConflictSink&) { tasks.add(task); }
  static void add_self(RefSet& tasks, ConflictSink& sink) { tasks.add(sink.self()); }
  static void report_all(const RefSet& tasks, ConflictSink& sink) {
    tasks.for_each([&](TaskRef task) { sink.report(task); });
  }
  static void add_all(RefSet& tasks, const RefSet& others, ConflictSink&) {
    others.for_each([&](TaskRef task) { tasks.add(task); });
  }
  void thin(const myr_access& memory, ConflictSink& sink) { fan_in(group, memory, sink); }
  MYR_COLD void take_group(ConflictSink& sink);
  // Tasks that stay in a set while others wait for them become one, once they are many. The sink's
  // own task is not among those that it waits for.
  static void fan_in(RefSet& tasks, const myr_access& memory, ConflictSink& sink);
  [[nodiscard]] static myr_access memory_of(deps::Bytes bytes) {
    return myr_inout_range(reinterpret_cast<void*>(bytes.begin), bytes.end - bytes.begin);
  }

 private:
  [[nodiscard]] bool is_member(bool writes, Group way) const noexcept {
    return way == group.group() && (way != Group::None || !writes);
  }
  MYR_COLD void begin_group(Group way, const myr_access& memory, ConflictSink& sink);
};

}  // namespace myr::graph
