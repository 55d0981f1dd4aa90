// SPDX-License-Identifier: Apache-2.0
#include "graph/users.hpp"

namespace myr::graph {

void Users::take_group(ConflictSink& sink) {
  report_all(group, sink);
  group.clear();
}

void Users::begin_group(Group way, const myr_access& memory, ConflictSink& sink) {
  if (group.contains(sink.self())) {  // uses the memory in two ways: that is as a writer does
    take_group(sink);
    writer = sink.self();
    return;
  }
  // Readers have not waited for what the writer's children read.
  const bool is_behind_readers = group.group() == Group::None;
  if (is_behind_readers && writer && !TaskArena::is_complete(writer)) group.add(writer);
  writer = group.is_one() ? group.all().front() : sink.join(group, memory);
  group.clear();
  sink.report(writer);
  group.add_to_group(sink.self(), way);
}

void Users::fan_in(RefSet& tasks, const myr_access& memory, ConflictSink& sink) {
  if (!tasks.is_many()) return;
  const TaskRef join = sink.join(tasks, memory);
  const bool has_self = tasks.contains(sink.self());
  const Group way = tasks.group();
  tasks.clear();
  if (join) tasks.add_to_group(join, way);
  if (has_self) tasks.add_to_group(sink.self(), way);
}

}  // namespace myr::graph
