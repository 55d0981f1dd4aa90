// SPDX-License-Identifier: Apache-2.0
#include "sched/task_table.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "base/contract.hpp"

namespace myr::sched {

using proto::Access;
using proto::Mode;
using proto::Purpose;
using proto::Task;

namespace {

// What the ranges have of the piece.
void cut_out_parts(const Piece& piece, const std::vector<proto::UsedRange>& ranges,
                   Pieces& pieces) {
  for (const proto::UsedRange& range : ranges) {
    Piece part = piece;
    part.address = std::max(piece.address, range.address);
    const std::uint64_t end = std::min(piece.address + piece.bytes, range.address + range.bytes);
    if (end <= part.address) continue;
    part.bytes = end - part.address;
    part.mode = range.mode;
    pieces.push_back(part);
  }
}

// Do the ranges reach further than the object of the pieces, in which they begin? Asked where the
// spawner does not know how long it is.
bool reach_further(const std::vector<proto::UsedRange>& ranges, std::span<const Piece> pieces) {
  if (pieces.empty()) return false;
  const std::uint64_t begin = pieces.front().address;
  const Piece& last = pieces.back();
  const std::uint64_t end = last.address + last.bytes;
  return std::any_of(ranges.begin(), ranges.end(), [&](const proto::UsedRange& range) {
    return range.address >= begin && range.address < end && range.bytes > end - range.address;
  });
}

// Calls `visit` with each node of the message and what it holds.
template <class Visit>
void for_each_granted(proto::Granted& message, Visit&& visit) {
  Piece* next = message.pieces.begin();
  for (const NodeId node : message.nodes) {
    Piece* const first = next;
    next = message.nodes.size() == 1 ? message.pieces.end() : first;
    while (next != message.pieces.end() && (next == first || next->goes_on)) ++next;
    visit(node, std::span(first, next));
  }
}

}  // namespace

TaskTable::TaskTable(Link& link, deps::QueueTree& queues, RegionTable& regions, Placer& placer,
                     StepKeeper& steps, StepPortions& portions, bool moves_data) noexcept
    : link_(link),
      queues_(queues),
      regions_(regions),
      placer_(placer),
      steps_(steps),
      portions_(portions),
      moves_data_(moves_data),
      next_serial_(1) {}

void TaskTable::adopt_main(TaskId task, AgentId worker) {
  Record& main = *records_.try_emplace(task).first;
  main.task = std::make_unique<Task>();
  main.task->id = task;
  main.task->parent = task;
  main.task->accesses = {{.node = proto::kRootRegion,
                          .mode = Mode::Write,
                          .owner = proto::kTop,
                          .path = {proto::kRootRegion}}};
  main.worker = worker;
}

TaskTable::Record& TaskTable::record(TaskId task) {
  if (Record* const known = records_.find(task)) return *known;
  return make_record(find_part(task), task);
}

proto::Access* TaskTable::find_access(const Record& record, NodeId node) {
  const std::size_t index = record.index.find(record.task->accesses, node);
  return index == AccessIndex::kNone ? nullptr : &record.task->accesses[index];
}

// ---- from adoption to running -----------------------------------------------------------------

void TaskTable::handle(proto::Adopt& message) { adopt(std::move(message.task)); }

void TaskTable::adopt(proto::TaskPtr adopted_task) {
  Record& adopted = *records_.try_emplace(adopted_task->id).first;
  adopted.task = std::move(adopted_task);
  const Task& task = *adopted.task;
  adopted.index = AccessIndex(task.accesses);
  adopted.missing = task.accesses.size();
  if (task.waits_for_siblings) {
    goes_ahead(task) ? make_stand_in(adopted) : static_cast<void>(adopted.missing += 1);
  }
  adopted.pieces.reserve(task.accesses.size());
  if (adopted.missing == 0) when_granted(adopted);
}

// Those of its children that use the ranges shall wait until siblings of the task have completed:
// they find the stand-in as the first user. So the task does not complete before it, either.
void TaskTable::make_stand_in(Record& early) {
  early.children += 1;
  early.ranges.stand_in(*early.task);
}

void TaskTable::handle(proto::Granted& message) {
  const FoundPart part = find_part(message.task);
  if (part.loop != nullptr && message.is_known) {
    for_each_granted(message, [&](NodeId node, std::span<Piece> pieces) {
      Pieces& brought = part.loop->parts->brought[{message.task, node}];
      brought.append(pieces.data(), pieces.data() + pieces.size());
      static_cast<void>(grant_part(message.task));
    });
    return;
  }
  Record& granted = record(message.task);
  if (!message.is_known) {
    const bool is_part = !granted.task->iterations.none();
    link_.environment().misuse(is_part ? Misuse::NotInRegion : Misuse::NoSuchNode,
                               granted.task->program, *find_access(granted, message.nodes.front()));
    return;
  }
  std::size_t expected = 0;  // they come in order
  for_each_granted(message, [&](NodeId node, std::span<Piece> pieces) {
    expected = granted.index.find(granted.task->accesses, node, expected) + 1;
    const Access& access = granted.task->accesses[expected - 1];
    if (!is_told_later(*granted.task, access)) add_pieces(granted, access, pieces);
  });
  count_granted(granted, message.nodes.size());
}

// Siblings that the task waits for may still have to write the part that is granted. So what it
// holds is asked for when all is granted, and these are done.
bool TaskTable::is_told_later(const Task& task, const Access& access) const {
  return access.is_part && access.transfers && task.waits_for_siblings && moves_data_ &&
         proto::needs_data(task.id);
}

void TaskTable::add_pieces(Record& record, const Access& access, std::span<Piece> pieces) {
  if (access.is_part && reach_further(record.task->ranges, pieces)) {
    link_.environment().misuse(Misuse::PastTheEnd, record.task->program, access);
    return;
  }
  if (!access.transfers) return;
  for (Piece& piece : pieces) {
    piece.mode = access.mode;
    piece.is_read = access.is_read;
    if (access.is_part) {
      cut_out_parts(piece, record.task->ranges, record.pieces);
    } else {
      record.pieces.push_back(piece);
    }
  }
}

void TaskTable::count_granted(Record& granted, std::size_t count) {
  MYR_ASSERT(granted.missing >= count);
  granted.missing -= count;
  if (granted.missing != 0) return;
  ask_for_parts(granted);
  if (granted.missing == 0) when_granted(granted);
}

void TaskTable::ask_for_parts(Record& granted) {
  Task& task = *granted.task;
  for (const Access& access : task.accesses) {
    if (!is_told_later(task, access)) continue;
    granted.missing += 1;
    regions_.ask_for_pieces(
        access.owner, access.node, [this, id = task.id, node = access.node](Pieces pieces) {
          Record& asking = record(id);
          add_pieces(asking, *find_access(asking, node), {pieces.begin(), pieces.end()});
          count_granted(asking, 1);
        });
  }
  task.waits_for_siblings = false;
}

void TaskTable::handle(proto::SiblingsDone& message) {
  Record& waiting = record(message.task);
  goes_ahead(*waiting.task) ? child_completed(waiting, message.task) : count_granted(waiting, 1);
}

void TaskTable::when_granted(Record& granted) {
  const Task& task = *granted.task;
  switch (task.purpose) {
    case Purpose::Run:
      place({.task = task.id,
             .program = task.program,
             .time = task.time,
             .pieces = std::move(granted.pieces),
             .parcel = task.parcel,
             .iterations = task.iterations,
             .place = task.place});
      return;
    case Purpose::Spread:
      begin_loop(granted);
      return;
    case Purpose::Wait:
      end_wait(granted);
      return;
    case Purpose::FreeObject:
    case Purpose::FreeRegion:
      run_free(granted);
      return;
    case Purpose::Hold:
      steps_.granted(task);
      return;
  }
}

// The parent may use again what it has waited for; its worker has it then. It is told which
// children have failed when all of them have ended.
void TaskTable::end_wait(Record& granted) {
  const TaskId parent = granted.task->parent;
  Record& waiting = record(parent);
  const AgentId worker = waiting.worker;
  if (moves_data_) relocate(granted, worker);
  placer_.task_returns(worker, parent);
  proto::WaitOver over{.task = parent, .pieces = std::move(granted.pieces), .failure = nullptr};
  if (std::exchange(waiting.fetches_all, false)) {
    over.failure = std::exchange(waiting.failure, nullptr);
  }
  link_.send(worker, std::move(over));
  end_body(granted);
}

void TaskTable::run_free(Record& granted) {
  const Task& task = *granted.task;
  const Access& access = task.accesses.front();
  link_.send(access.owner,
             proto::Free{.node = access.node, .task = task.id, .program = task.program});
  granted.has_body_ended = true;
  complete_if_over(granted);
}

void TaskTable::place(proto::Work work) {
  const AgentId worker = proto::bound_to(work.parcel);
  if (worker != proto::kNoAgent) {
    send_down(placer_.place_bound(worker), std::move(work));
  } else if (kept_.size() == 0 && placer_.has_room(1)) {
    const AgentId child = placer_.place_task(work.pieces);
    send_down(child, std::move(work));
  } else {
    const std::uint32_t rank = placer_.rank(work.time);
    const unsigned home_depth = link_.topology().depth(proto::home_of(work.task));
    kept_.push(std::move(work), rank, home_depth);
  }
}

void TaskTable::place_kept() {
  while (kept_.size() != 0 && placer_.has_room(kept_.size())) {
    proto::Work work = kept_.pop();
    const AgentId child = placer_.place_task(work.pieces);
    send_down(child, std::move(work));
  }
}

void TaskTable::place_again(proto::Work work) {
  if (placer_.has_idle()) {
    send_down(placer_.place_on_idle(), std::move(work));
  } else {
    place(std::move(work));
  }
}

// Each scheduler on the way down chooses one of its children.
void TaskTable::send_down(AgentId child, proto::Work work) {
  if (!link_.topology().is_worker(child)) {
    link_.send(child, proto::Place{.work = std::move(work)});
    return;
  }
  if (work.place.step != 0) portions_.note(work, child);
  // First: what the task spawns shall find its home knowing where it runs.
  if (!proto::is_replayed(work.task)) tell_placed(work.task, child);
  link_.send(child, proto::Execute{.work = std::move(work)});
}

void TaskTable::tell_placed(TaskId task, AgentId worker) {
  if (const FoundPart part = find_part(task); part.loop != nullptr) {
    place_part(part, worker);
  } else {
    link_.send(proto::home_of(task), proto::Placed{.task = task, .worker = worker});
  }
}

void TaskTable::handle(proto::Place& message) {
  placer_.sent_from_above();
  place(std::move(message.work));
}

void TaskTable::handle(proto::Placed& message) {
  const FoundPart part = find_part(message.task);
  if (part.loop != nullptr) return place_part(part, message.worker);
  Record& placed = record(message.task);
  placed.worker = message.worker;
  relocate(placed, message.worker);
}

void TaskTable::relocate(const Record& writer, AgentId worker) {
  const Task& task = *writer.task;
  NodesToOwners wholes([&](AgentId owner, proto::Nodes&& nodes) {
    link_.send(owner,
               proto::Relocate{.nodes = std::move(nodes), .producer = worker, .time = task.time});
  });
  for (const proto::Written& written : task.written) {
    if (!written.is_part || !moves_data_) {
      wholes.add(written.owner, written.node);
      continue;
    }
    proto::Relocate message{.nodes = {written.node}, .producer = worker, .time = task.time};
    std::copy_if(task.ranges.begin(), task.ranges.end(), std::back_inserter(message.parts),
                 [](const proto::UsedRange& range) { return range.mode == Mode::Write; });
    link_.send(written.owner, std::move(message));
  }
  wholes.flush();
}

// ---- the end ----------------------------------------------------------------------------------

void TaskTable::handle(proto::BodyEnded& message) {
  if (proto::is_replayed(message.task)) return portions_.ended(message.task);
  const FoundPart part = find_part(message.task);
  if (part.loop != nullptr && !records_.contains(message.task)) {
    keep_first(part.loop->failure, std::move(message.failure));
    link_.send(link_.self(),
               proto::PartOver{.part = message.task, .accesses = part.loop->parts->access_count});
    return;
  }
  Record& ended = record(message.task);
  ended.has_body_ended = true;
  keep_first(ended.failure, std::move(message.failure));
  if (ended.spawns.empty()) end_body(ended);
}

void TaskTable::handle(proto::LocalsGone& message) {
  const Record& ended = record(message.task);
  std::optional<std::uint64_t> user = ended.ranges.user_of(message.locals);
  for (std::size_t i = 0; i < ended.spawns.size(); ++i) {
    const Task& spawn = *ended.spawns[i];
    for (const proto::UsedRange& range : spawn.ranges) {
      if (proto::overlap(range, message.locals)) user = spawn.program;
    }
  }
  if (user) link_.environment().misuse(Misuse::LocalsInUse, *user, {});
}

void TaskTable::end_body(Record& ended) {
  ended.has_body_ended = true;
  leave(ended, false);
  complete_if_over(ended);
}

// It leaves objects of which it used a part when its children have ended: until then these are
// known to be in order with the task's siblings.
void TaskTable::leave(const Record& ended, bool parts) {
  NodesToOwners left([&](AgentId owner, proto::Nodes&& nodes) {
    link_.send(owner, proto::Done{.task = ended.task->id, .nodes = std::move(nodes)});
  });
  for (const Access& access : ended.task->accesses) {
    if (access.is_part == parts) left.add(access.owner, access.node);
  }
  left.flush();
}

void TaskTable::handle(proto::WaitAll& message) {
  Record& waiting = record(message.task);
  waiting.waits_for_all_at = std::move(message.time);
  complete_if_over(waiting);
}

// All children have ended. What they have written comes back to the worker by a wait for all that
// the task holds.
void TaskTable::end_wait_for_all(Record& waiting) {
  const Task& task = *waiting.task;
  proto::SerialTime time = *std::exchange(waiting.waits_for_all_at, {});
  if (!moves_data_ || task.accesses.empty()) {
    placer_.task_returns(waiting.worker, task.id);
    link_.send(waiting.worker, proto::WaitOver{.task = task.id,
                                               .pieces = {},
                                               .failure = std::exchange(waiting.failure, nullptr)});
    return;
  }
  auto wait = std::make_unique<Task>();
  wait->parent = task.id;
  wait->purpose = Purpose::Wait;
  wait->time = std::move(time);
  for (const Access& held : task.accesses) {
    wait->accesses.push_back({.node = held.node,
                              .mode = held.mode,
                              .transfers = held.transfers,
                              .is_part = held.is_part});
  }
  wait->ranges = task.ranges;
  waiting.fetches_all = true;
  link_.send(link_.self(), proto::Spawn{.task = std::move(wait)});
}

void TaskTable::handle(proto::Completed& message) {
  Record& parent = record(message.parent);
  keep_first(parent.failure, std::move(message.failure));
  child_completed(parent, message.child);
}

// `child`: or the stand-in.
void TaskTable::child_completed(Record& parent, TaskId child) {
  MYR_ASSERT(parent.children != 0);
  parent.children -= 1;
  for (const TaskId task : parent.ranges.complete(child)) {
    link_.send(proto::home_of(task), proto::SiblingsDone{.task = task});
  }
  complete_if_over(parent);
}

const char* TaskTable::broken_invariant() const {
  base::StableMap<std::size_t> children;  // at home here, by parent
  const char* broken = nullptr;
  records_.for_each([&](TaskId id, const Record& record) {
    if (record.task->id != id) broken = "a task is found by another name";
    if (record.task->parent != id) *children.try_emplace(record.task->parent).first += 1;
  });
  children.for_each([&](TaskId parent, std::size_t) {
    const bool is_here = proto::home_of(parent) == link_.self();
    if (is_here && !records_.contains(parent)) broken = "a task has outlived its parent";
  });
  records_.for_each([&](TaskId id, const Record& record) {
    const std::size_t* const here = children.find(id);
    const char* const what = broken_invariant(record, here == nullptr ? 0 : *here);
    if (what != nullptr) broken = what;
  });
  for (const auto& [first, loop] : loops_) {
    const Record* const record = records_.find(loop);
    const bool is_known = record != nullptr && record->parts != nullptr;
    if (!is_known || record->parts->first != first) broken = "parts are of a loop that is no more";
  }
  return broken;
}

const char* TaskTable::broken_invariant(const Record& record, std::size_t children_here) {
  if (record.spawns.empty() != (record.unresolved == 0)) return "a spawn waits for no answer";
  if (record.children < record.spawns.size() + children_here) return "a child is not counted";
  if (record.missing != 0 && record.worker != proto::kNoAgent) return "a task runs too early";
  const bool is_over = record.has_body_ended || record.waits_for_all_at.has_value();
  return is_over && record.children == 0 ? "a task waits for children, and has none" : nullptr;
}

void TaskTable::complete_if_over(Record& over) {
  if (over.children != 0) return;
  if (over.waits_for_all_at) {
    end_wait_for_all(over);
    return;
  }
  if (!over.has_body_ended) return;
  const TaskId task = over.task->id;
  const TaskId parent = over.task->parent;
  proto::FailurePtr failure = std::move(over.failure);
  leave(over, true);
  const bool is_main = parent == task;
  if (over.parts != nullptr) loops_.erase(over.parts->first);
  records_.erase(task);
  if (is_main) return;
  link_.send(proto::home_of(parent),
             proto::Completed{.parent = parent, .child = task, .failure = std::move(failure)});
}

}  // namespace myr::sched
