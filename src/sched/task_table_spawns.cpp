// SPDX-License-Identifier: Apache-2.0
//
// TaskTable, the part about spawns: from a worker's message to the home's adoption.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "sched/task_table.hpp"

namespace myr::sched {

using proto::Access;
using proto::Accesses;
using proto::Mode;
using proto::Purpose;
using proto::Task;

namespace {

// At a glance: objects whose addresses ascend, or one node.
bool are_distinct_objects(const Accesses& accesses) {
  const auto is_not = [](const Access& a, const Access& b) {
    return b.node <= a.node || b.node.is_region();
  };
  return accesses.size() < 2 ||
         (!accesses.front().node.is_region() &&
          std::adjacent_find(accesses.begin(), accesses.end(), is_not) == accesses.end());
}

// Does the task not wait for what goes on below the node?
bool passes(const Task& task, const Access& access) {
  return task.purpose == Purpose::Spread || (task.purpose == Purpose::Run && access.is_weak);
}

}  // namespace

void TaskTable::handle(proto::Spawn& message) {
  Record& parent = record(message.task->parent);
  note_step(parent, *message.task);
  parent.children += 1;
  parent.spawns.push_back(std::move(message.task));
  if (parent.spawns.size() == 1) advance(parent);
}

// A step that main marks is recorded; what its tasks spawn is not.
void TaskTable::note_step(Record& parent, const Task& spawn) {
  const bool runs = spawn.purpose == Purpose::Run || spawn.purpose == Purpose::Spread;
  if (!runs) return;
  if (spawn.place.step != 0) return steps_.note_spawn(spawn);
  const std::uint32_t step = std::exchange(parent.task->place.step, 0);
  if (step != 0) link_.send(proto::kTop, proto::StepUnfit{.step = step});
}

// Launches spawns until one has to wait for answers, or none is left.
void TaskTable::advance(Record& parent) {
  while (!parent.spawns.empty()) {
    if (!resolve_first(parent) || !launch_first(parent)) return;
  }
  if (parent.has_body_ended) end_body(parent);
}

// False: it waits for answers.
bool TaskTable::resolve_first(Record& parent) {
  Accesses& accesses = parent.spawns.front()->accesses;
  std::vector<std::uint32_t> unknown;
  ways_ = {};
  for (std::uint32_t index = 0; index < accesses.size(); ++index) {
    if (!resolve_here(parent, accesses[index])) unknown.push_back(index);
  }
  link_.environment().found_ways(ways_.regions, ways_.more);
  if (!unknown.empty()) ask_owners(parent, unknown);
  return parent.unresolved == 0;
}

// Finds the way from a node that the parent holds, which those in one region have in common. False:
// nobody here knows it.
bool TaskTable::resolve_here(const Record& parent, Access& access) {
  if (!access.path.empty()) return true;
  if (const Access* const held = find_access(parent, access.node)) {
    ways_.count({});
    access.owner = held->owner;
    access.path = {access.node};
    return true;
  }
  const std::optional<NodeId> around = regions_.region_around(access.node, access.is_part);
  if (ways_.count(around.value_or(NodeId{})) && around) {
    const auto is_held = [&](NodeId node) { return find_access(parent, node) != nullptr; };
    ways_.last = regions_.way_to(*around, is_held);
  }
  if (!around) return false;
  access.path = ways_.last;
  access.path.push_back(access.node);
  access.owner = link_.self();
  return true;
}

void TaskTable::ask_owners(Record& parent, const std::vector<std::uint32_t>& unknown) {
  const Accesses& accesses = parent.spawns.front()->accesses;
  std::map<AgentId, proto::Resolve> questions;
  for (const std::uint32_t index : unknown) {
    const Access& access = accesses[index];
    const AgentId owner = regions_.next_owner(access.node);
    proto::Resolve& question = questions[owner == proto::kNoAgent ? link_.self() : owner];
    question.is_known = owner != proto::kNoAgent;
    question.sought.push_back({.node = access.node, .index = index, .is_part = access.is_part});
  }
  parent.unresolved += unknown.size();
  for (auto& [owner, question] : questions) {
    question.parent = parent.task->id;
    question.asker = link_.self();
    link_.send(owner, std::move(question));
  }
}

// At an owner on the way, or back where it was asked.
void TaskTable::handle(proto::Resolve& message) {
  if (message.asker != link_.self()) return regions_.resolve(message);
  Record& parent = record(message.parent);
  Task& spawn = *parent.spawns.front();
  if (message.is_known) regions_.grow_or_trim(message.path);
  for (const proto::Sought& sought : message.sought) {
    Access& access = spawn.accesses[sought.index];
    access.node = sought.node;
    if (!message.is_known) {
      link_.environment().misuse(Misuse::NoSuchNode, spawn.program, access);
      return;
    }
    access.owner = message.owner;
    access.path = message.path;
    access.path.push_back(access.node);
  }
  MYR_ASSERT(parent.unresolved >= message.sought.size());
  parent.unresolved -= message.sought.size();
  if (parent.unresolved == 0 && launch_first(parent)) advance(parent);
}

// False: misuse.
bool TaskTable::launch_first(Record& parent) {
  proto::TaskPtr task = std::move(parent.spawns.front());
  for (Access& access : task->accesses) {
    if (!check(parent, access, task->program)) return false;
  }
  merge(task->accesses);
  if (task->purpose != Purpose::Spread && task->purpose != Purpose::Hold) note_written(*task);
  const AgentId home = give_home(*task);
  task->waits_for_siblings = parent.ranges.enter(*task);
  take_ways(parent, *task);
  link_.send(home, proto::Adopt{.task = std::move(task)});
  send_entering();
  parent.spawns.pop_front();
  return true;
}

// The task will be the producer of these. REQUIRES: accesses are joined. One that stands for others
// and writes is brought as a whole to be written, so its old holder has none of it any more.
void TaskTable::note_written(Task& task) {
  task.written.reserve(task.accesses.size());
  for (const Access& access : task.accesses) {
    if (access.mode == Mode::Read || !access.transfers) continue;
    if (access.is_part && !task.written.empty() && task.written.back().node == access.node) {
      continue;  // the next row of a tile
    }
    task.written.push_back({.node = access.node, .owner = access.owner, .is_part = access.is_part});
  }
}

// Chooses it, and names the task after it.
AgentId TaskTable::give_home(Task& task) {
  const bool runs = task.purpose == Purpose::Run;
  const bool only_spawns = std::all_of(task.accesses.begin(), task.accesses.end(),
                                       [](const Access& access) { return access.is_weak; });
  const bool needs_data = (runs && !only_spawns) || (moves_data_ && task.purpose == Purpose::Wait);
  const bool has_home = runs || task.purpose == Purpose::Spread;
  const AgentId home = has_home ? choose_home(task) : link_.self();
  task.id =
      proto::make_task_id(home, link_.topology().depth(link_.self()), needs_data, next_serial_++);
  return home;
}

// Cuts the path down to the highest node that the parent holds.
bool TaskTable::check(const Record& parent, Access& access, std::uint64_t program) {
  for (std::size_t i = 0; i < access.path.size(); ++i) {
    const Access* const held = find_access(parent, access.path[i]);
    if (held == nullptr) continue;
    // A parent that reads a part may hold what is around it, too; one that writes it does not.
    if (held->is_part && !access.is_part && access.mode == Mode::Write) continue;
    if (held->mode < access.mode) {
      link_.environment().misuse(Misuse::ReadOnly, program, access);
      return false;
    }
    access.path.erase(access.path.begin(), access.path.begin() + i);
    return true;
  }
  link_.environment().misuse(Misuse::NotHeld, program, access);
  return false;
}

// A task must not wait for itself: where one access lies within another, or is the same, and one of
// them writes or is to a part, the outermost one stands for all. Cost: O(lengths of the paths).
void TaskTable::merge(Accesses& accesses) {
  if (are_distinct_objects(accesses)) return;
  const AccessIndex index(accesses);
  bool has_nested = false;
  for (const Access& inner : accesses) {
    for (const NodeId node : inner.path) {
      const std::size_t outer = index.find(accesses, node);
      if (outer == AccessIndex::kNone || &accesses[outer] == &inner) continue;
      has_nested = true;
      accesses[outer].mode = std::max(accesses[outer].mode, inner.mode);
      if (node == inner.node) accesses[outer].is_part &= inner.is_part;
    }
  }
  if (!has_nested) return;
  const auto find_outermost = [&](const Access& access) -> Access* {
    for (const NodeId node : access.path) {
      const std::size_t outer = index.find(accesses, node);
      if (outer == AccessIndex::kNone || &accesses[outer] == &access) continue;
      const bool stands = node == access.node || accesses[outer].mode == Mode::Write;
      if (stands || access.is_part) return &accesses[outer];
    }
    return nullptr;
  };
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    Access* const outer = find_outermost(accesses[i]);
    if (outer == nullptr) {
      kept.push_back(i);
    } else {
      outer->transfers |= accesses[i].transfers;
      outer->is_read |= accesses[i].is_read;
      outer->is_weak &= accesses[i].is_weak;
    }
  }
  Accesses merged;
  for (const std::size_t i : kept) merged.push_back(std::move(accesses[i]));
  accesses = std::move(merged);
}

// The lowest scheduler with all that the task uses in its subtree; for a loop and its parts, with
// all that it writes.
AgentId TaskTable::choose_home(const Task& task) const {
  const bool is_loop = task.purpose == Purpose::Spread || !task.iterations.none();
  const auto is_written = [](const Access& access) { return access.mode == Mode::Write; };
  const bool writes =
      is_loop && std::any_of(task.accesses.begin(), task.accesses.end(), is_written);
  AgentId home = proto::kNoAgent;
  for (const Access& access : task.accesses) {
    if (writes && !is_written(access)) continue;
    home = home == proto::kNoAgent ? access.owner : link_.topology().common(home, access.owner);
  }
  // A loop only reads what is elsewhere: its parts stay where it is.
  if (home == proto::kNoAgent || !link_.topology().is_within(home, link_.self())) {
    return link_.self();
  }
  // The worker that is to run it is below, too.
  const AgentId worker = proto::bound_to(task.parcel);
  return worker == proto::kNoAgent ? home : link_.topology().common(home, worker);
}

// Nobody else needs to know the ways, and the task may be gone when its accesses enter. Those that
// have a way in common go together, if only few others are between them.
void TaskTable::take_ways(const Record& parent, Task& task) {
  entering_.clear();
  for (Access& access : task.accesses) {
    const deps::Use use{.task = task.id,
                        .mode = access.mode,
                        .passes = passes(task, access),
                        .parts_of = access.is_part ? parent.task->id : deps::Use::kWhole};
    add_entering(owner_of_first(parent, access), parent.task->id, use, access.path);
    access.path.clear();
  }
}

void TaskTable::add_entering(AgentId owner, TaskId parent, const deps::Use& use,
                             const proto::Path& path) {
  const auto goes_along = [&](const auto& other) {
    const auto& [other_owner, enter] = other;
    const deps::Ways& ways = enter.ways;
    return other_owner == owner && enter.use == use &&
           ways.size() - ways.count == path.size() - 1 &&
           std::equal(path.begin(), path.end() - 1, ways.nodes.begin());
  };
  auto* const with = find_group(entering_, goes_along);
  if (with == nullptr) {
    entering_.emplace_back(owner, proto::Enter{.parent = parent, .use = use, .ways = {}});
    entering_.back().second.ways.nodes.append(path.begin(), path.end());
  } else {
    with->second.ways.nodes.push_back(path.back());
    with->second.ways.count += 1;
  }
}

void TaskTable::send_entering() {
  for (auto& [owner, enter] : entering_) link_.send(owner, std::move(enter));
}

AgentId TaskTable::owner_of_first(const Record& parent, const Access& access) const {
  const NodeId first = access.path.front();
  if (first.is_region()) return proto::owner_of_region(first);
  return find_access(parent, first)->owner;
}

}  // namespace myr::sched
