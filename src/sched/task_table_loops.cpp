// SPDX-License-Identifier: Apache-2.0
//
// TaskTable, the part about loops. A loop enters its regions as any task does, but only passes
// through them: as soon as nobody is before it in their queues, its home spawns its parts. These
// enter behind what was spawned before the loop, object by object, and before what comes later.
//
// Most parts are light: nothing is written down of them but how many accesses are missing. What
// they use follows from the loop's windows, each time anew; and what concerns this scheduler alone
// is a call, not a message to itself. docs/design/sched.md has what that saves.
#include <algorithm>
#include <utility>

#include "base/contract.hpp"
#include "sched/loop_parts.hpp"
#include "sched/task_table.hpp"

namespace myr::sched {

using proto::Access;
using proto::Iterations;
using proto::Mode;
using proto::Purpose;
using proto::Task;
using proto::Window;

void TaskTable::begin_loop(Record& loop) {
  const proto::Loop& what = *loop.task->loop;
  const std::size_t count = part_count_of(what);
  loop.parts = std::make_unique<Parts>(
      Parts{.first = proto::make_task_id(link_.self(), link_.topology().depth(link_.self()),
                                         /*needs_data=*/true, next_serial_),
            .clock = proto::SerialClock(loop.task->time)});
  next_serial_ += count;
  loop.parts->light.resize(count);
  loops_.emplace(loop.parts->first, loop.task->id);
  loop.parts->ways.resize(what.windows.size());
  for (std::size_t i = 0; i < what.windows.size(); ++i) {
    const bool is_known = find_way(loop, what.windows[i], loop.parts->ways[i]);
    loop.parts->are_light = is_known && (i == 0 || loop.parts->are_light);
  }
  for_accesses(what, iterations_of(what, count / 2),
               [&](const Window&, NodeId, std::size_t) { loop.parts->access_count += 1; });
  put_off_part(loop, what.iterations.begin);
}

// False: parts cannot be light. Parts that write what an owner below has are better at home there.
bool TaskTable::find_way(const Record& loop, const Window& window, proto::Path& way) {
  const auto is_held = [&](NodeId node) { return find_access(loop, node) != nullptr; };
  const AgentId owner = proto::owner_of_region(window.region);
  way = {window.region};
  if (owner == link_.self()) {
    way = regions_.way_to(window.region, is_held);
    return !way.empty() && is_held(way.front());
  }
  return window.mode == Mode::Read && is_held(window.region) &&
         !link_.topology().is_within(owner, link_.self());
}

// A loop may have many parts, and messages should not wait for all of them.
void TaskTable::put_off_part(const Record& loop, std::uint64_t begin) {
  link_.put_off(
      proto::NextPart{.loop = loop.task->id, .begin = begin, .accesses = loop.parts->access_count});
}

// A part is launched at once if its ways are known here, and no part before it waits for its own.
void TaskTable::handle(proto::NextPart& message) {
  Record& loop = record(message.loop);
  const proto::Loop& what = *loop.task->loop;
  const std::uint64_t left = what.iterations.end - message.begin;
  const Iterations iterations{message.begin, message.begin + std::min(left, what.grain)};
  loop.children += 1;
  if (loop.parts->are_light && are_distinct(what, iterations)) {
    launch_light(loop, iterations, used_.size());
  } else {
    proto::TaskPtr part = make_part(loop, iterations);
    part->time = loop.parts->clock.spawn();
    const bool are_known = find_ways(loop, *part);
    if (are_known && loop.spawns.empty()) {
      launch_part(loop, std::move(part));
    } else {
      loop.spawns.push_back(std::move(part));
      if (loop.spawns.size() == 1) advance(loop);
    }
  }
  if (iterations.end != what.iterations.end) {
    put_off_part(loop, iterations.end);
  } else if (loop.spawns.empty()) {
    end_body(loop);
  } else {
    loop.has_body_ended = true;
  }
}

// ---- parts that are tasks like any others -------------------------------------------------------

proto::TaskPtr TaskTable::make_part(const Record& loop, Iterations iterations) const {
  auto part = std::make_unique<Task>();
  part->parent = loop.task->id;
  part->program = loop.task->program;
  part->parcel = loop.task->parcel;
  part->iterations = iterations;
  part->place = loop.task->place;
  for_accesses(*loop.task->loop, iterations, [&](const Window& window, NodeId object, std::size_t) {
    part->accesses.push_back({.node = object,
                              .mode = window.mode,
                              .transfers = window.transfers,
                              .is_read = window.is_read,
                              .owner = proto::owner_of_region(window.region),
                              .path = {window.region}});
  });
  return part;
}

// False: some other scheduler has to be asked.
bool TaskTable::find_ways(const Record& loop, Task& part) {
  bool are_known = true;
  ways_ = {};
  for (Access& access : part.accesses) {
    const NodeId region = access.path.front();
    access.path.clear();
    // Where the loop may not ask, it goes by what it was told.
    if (!link_.topology().is_within(access.owner, link_.self()) &&
        find_access(loop, region) != nullptr) {
      access.path = {region, access.node};
    } else {
      are_known = resolve_here(loop, access) && are_known;
    }
  }
  return are_known;
}

void TaskTable::launch_part(Record& loop, proto::TaskPtr part) {
  for (Access& access : part->accesses) {
    if (!check(loop, access, part->program)) return;
  }
  merge(part->accesses);
  note_written(*part);
  const AgentId home = give_home(*part);
  take_ways(loop, *part);
  link_.send(home, proto::Adopt{.task = std::move(part)});
  send_entering();
}

// ---- light parts --------------------------------------------------------------------------------

// A task must not wait for itself.
bool TaskTable::are_distinct(const proto::Loop& loop, Iterations iterations) {
  used_.clear();
  bool are = true;
  for_accesses(loop, iterations, [&](const Window&, NodeId object, std::size_t) {
    are = are && std::find(used_.begin(), used_.end(), object.bits) == used_.end();
    used_.push_back(object.bits);
  });
  return are && used_.size() <= kLightAccessesMax;
}

void TaskTable::launch_light(Record& loop, Iterations iterations, std::size_t access_count) {
  const proto::Loop& what = *loop.task->loop;
  const std::size_t number = (iterations.begin - what.iterations.begin) / what.grain;
  const TaskId task = loop.parts->first + number;
  LightPart& part = loop.parts->light[number];
  part.time = loop.parts->clock.spawn();
  part.missing = static_cast<std::uint32_t>(access_count) + 1;  // it must not begin meanwhile
  deps::Ways ways;
  std::size_t way_of = 0;  // which one that is, of the loop's
  ways.count = 0;
  const auto enter = [&] {
    if (ways.count != 0) enter_light(loop, task, what.windows[way_of], std::move(ways));
  };
  for_accesses(what, iterations, [&](const Window&, NodeId object, std::size_t way) {
    if (ways.count == 0 || way != way_of) {
      enter();
      const proto::Path& path = loop.parts->ways[way];
      ways = {.nodes = {}, .count = 0};
      ways.nodes.append(path.begin(), path.end());
      way_of = way;
    }
    ways.nodes.push_back(object);
    ways.count += 1;
  });
  enter();
  static_cast<void>(grant_part(task));
}

// What a part uses of one window.
void TaskTable::enter_light(const Record& loop, TaskId part, const Window& window,
                            deps::Ways&& ways) {
  const deps::Use use{.task = part, .mode = window.mode};
  const AgentId owner = proto::owner_of_region(window.region);
  if (owner != link_.self()) {
    link_.send(owner, proto::Enter{.parent = loop.task->id, .use = use, .ways = std::move(ways)});
    return;
  }
  for (const NodeId object : ways.targets()) {
    if (regions_.is_in(object, window.region)) continue;
    link_.environment().misuse(Misuse::NotInRegion, loop.task->program,
                               {.node = object, .mode = window.mode});
    return;
  }
  queues_.enter(loop.task->id, use, std::move(ways));
}

TaskTable::FoundPart TaskTable::find_part(TaskId task) {
  const auto behind = loops_.upper_bound(task);
  if (behind == loops_.begin()) return {};
  const auto& [first, loop_id] = *std::prev(behind);
  Record& loop = records_.at(loop_id);
  const std::size_t number = task - first;
  if (number >= loop.parts->light.size()) return {};
  return {.loop = &loop, .number = number};
}

bool TaskTable::grant_part(TaskId task) {
  const FoundPart part = find_part(task);
  if (part.loop == nullptr) return false;
  LightPart& state = part.state();
  state.missing -= 1;
  if (state.missing == 0) begin_part(part, task);
  return true;
}

void TaskTable::begin_part(const FoundPart& part, TaskId task) {
  const proto::Loop& what = *part.loop->task->loop;
  const Iterations iterations = iterations_of(what, part.number);
  Pieces pieces;
  auto& brought = part.loop->parts->brought;
  const auto add = [&](const Window& window, Piece piece) {
    if (piece.bytes == 0) {  // freed before the loop was spawned
      link_.environment().misuse(Misuse::NotInRegion, part.loop->task->program,
                                 {.node = NodeId::object(piece.address), .mode = window.mode});
    }
    piece.mode = window.mode;
    piece.is_read = window.is_read;
    pieces.push_back(piece);
  };
  for_accesses(what, iterations, [&](const Window& window, NodeId object, std::size_t) {
    if (proto::owner_of_region(window.region) == link_.self()) {
      if (!window.transfers) return;
      Pieces here;
      regions_.add_pieces(object, window.region, here);
      for (const Piece& piece : here) add(window, piece);
      return;
    }
    const auto found = brought.find({task, object});
    MYR_ASSERT(found != brought.end());
    for (const Piece& piece : found->second) {
      if (window.transfers) add(window, piece);
    }
    brought.erase(found);
  });
  place({.task = task,
         .program = part.loop->task->program,
         .time = part.state().time,
         .pieces = std::move(pieces),
         .parcel = part.loop->task->parcel,
         .iterations = iterations,
         .place = part.loop->task->place});
}

void TaskTable::place_part(const FoundPart& part, AgentId worker) {
  LightPart& state = part.state();
  state.worker = worker;
  const proto::Loop& what = *part.loop->task->loop;
  for_accesses(what, iterations_of(what, part.number),
               [&](const Window& window, NodeId object, std::size_t) {
                 if (is_written(window))
                   regions_.relocate(object, window.region, worker, state.time);
               });
}

void TaskTable::handle(proto::PartOver& message) {
  const FoundPart part = find_part(message.part);
  Record& loop = *part.loop;
  const proto::Loop& what = *loop.task->loop;
  NodesToOwners left([&](AgentId owner, proto::Nodes&& nodes) {
    if (owner == link_.self()) {
      queues_.done(message.part, {nodes.begin(), nodes.end()});
    } else {
      link_.send(owner, proto::Done{.task = message.part, .nodes = std::move(nodes)});
    }
  });
  for_accesses(what, iterations_of(what, part.number),
               [&](const Window& window, NodeId object, std::size_t) {
                 left.add(proto::owner_of_region(window.region), object);
               });
  left.flush();
  loop.children -= 1;
  complete_if_over(loop);
}

// It spawns, or waits: from now on it is a task like any other.
TaskTable::Record& TaskTable::make_record(const FoundPart& part, TaskId task) {
  MYR_ASSERT(part.loop != nullptr);
  const proto::Loop& what = *part.loop->task->loop;
  proto::TaskPtr made = make_part(*part.loop, iterations_of(what, part.number));
  made->id = task;
  made->time = part.state().time;
  for (Access& access : made->accesses) access.path.clear();
  Record& record = *records_.try_emplace(task).first;
  record.task = std::move(made);
  record.index = AccessIndex(record.task->accesses);
  record.worker = part.state().worker;
  return record;
}

}  // namespace myr::sched
