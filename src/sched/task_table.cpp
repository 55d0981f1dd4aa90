// SPDX-License-Identifier: Apache-2.0
#include "sched/task_table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/contract.hpp"

namespace myr::sched {

using proto::Access;
using proto::Accesses;
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

// Than the object of the pieces does, in which they begin? Where the spawner does not know how long
// it is.
bool reach_further(const std::vector<proto::UsedRange>& ranges, const Pieces& pieces) {
  if (pieces.empty()) return false;
  const std::uint64_t begin = pieces[0].address;
  const Piece& last = pieces[pieces.size() - 1];
  const std::uint64_t end = last.address + last.bytes;
  return std::any_of(ranges.begin(), ranges.end(), [&](const proto::UsedRange& range) {
    return range.address >= begin && range.address < end && range.bytes > end - range.address;
  });
}

// Does the task not wait for what goes on below the node?
bool passes(const Task& task, const Access& access) {
  return task.purpose == Purpose::Spread || (task.purpose == Purpose::Run && access.is_weak);
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

// ---- spawning ---------------------------------------------------------------------------------

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

TaskTable::Record& TaskTable::record(TaskId task) {
  if (Record* const known = records_.find(task)) return *known;
  return make_record(find_part(task), task);
}

proto::Access* TaskTable::find_access(const Record& record, NodeId node) {
  const std::size_t index = record.index.find(record.task->accesses, node);
  return index == AccessIndex::kNone ? nullptr : &record.task->accesses[index];
}

// False: it waits for answers.
bool TaskTable::resolve_first(Record& parent) {
  Accesses& accesses = parent.spawns.front()->accesses;
  for (std::size_t index = 0; index < accesses.size(); ++index) {
    if (!resolve_here(parent, accesses[index])) ask_owner(parent, index);
  }
  return parent.unresolved == 0;
}

// Finds the way from a node that the parent holds. False: nobody here knows it.
bool TaskTable::resolve_here(const Record& parent, Access& access) const {
  if (!access.path.empty()) return true;
  if (const Access* const held = find_access(parent, access.node)) {
    access.owner = held->owner;
    access.path = {access.node};
    return true;
  }
  access.path.push_back(access.node);
  const auto is_held = [&](NodeId node) { return find_access(parent, node) != nullptr; };
  if (!regions_.grow(access.path, is_held) && !regions_.grow_around(access, is_held)) {
    access.path.clear();
    return false;
  }
  access.owner = link_.self();
  return true;
}

void TaskTable::ask_owner(Record& parent, std::size_t index) {
  const Access& access = parent.spawns.front()->accesses[index];
  parent.unresolved += 1;
  const proto::RequestId request = next_request_++;
  questions_.try_emplace(request, Question{.parent = parent.task->id, .index = index});
  const AgentId owner = regions_.next_owner(access.node);
  const bool is_known = owner != proto::kNoAgent;
  link_.send(
      is_known ? owner : link_.self(),
      proto::Resolve{
          .request = request, .asker = link_.self(), .access = access, .is_known = is_known});
}

// At an owner on the way, or back where it was asked.
void TaskTable::handle(proto::Resolve& message) {
  const bool is_back = message.asker == link_.self();
  if (!is_back) {
    regions_.resolve(message);
    return;
  }
  const Question question = questions_.at(message.request);
  questions_.erase(message.request);
  Record& parent = record(question.parent);
  Access& access = parent.spawns.front()->accesses[question.index];
  access = std::move(message.access);
  if (!message.is_known) {
    link_.environment().misuse(Misuse::NoSuchNode, parent.spawns.front()->program, access);
    return;
  }
  regions_.grow_or_trim(access.path);
  parent.unresolved -= 1;
  if (parent.unresolved == 0 && launch_first(parent)) advance(parent);
}

// False: misuse.
bool TaskTable::launch_first(Record& parent) {
  proto::TaskPtr task = std::move(parent.spawns.front());
  for (Access& access : task->accesses) {
    if (!check(parent, access, task->program)) return false;
  }
  if (task->purpose == Purpose::Check) {
    parent.children -= 1;
    parent.spawns.pop_front();
    if (parent.waits_for_all_at) complete_if_over(parent);
    return true;
  }
  merge(task->accesses);
  if (task->purpose != Purpose::Spread && task->purpose != Purpose::Hold) note_written(*task);
  const AgentId home = give_home(*task);
  task->waits_for_siblings = parent.ranges.enter(*task);
  take_ways(parent, *task);
  link_.send(home, proto::Adopt{.task = std::move(task)});
  for (auto& [owner, enter] : entering_) link_.send(owner, std::move(enter));
  parent.spawns.pop_front();
  return true;
}

// Of these the task will be the producer. REQUIRES: accesses are joined. One that stands for others
// and writes is brought as a whole to be written, so who had it before has none of it any more.
void TaskTable::note_written(Task& task) {
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
    // Who reads a part may hold what is around it, too; who writes it does not.
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
  if (accesses.size() < 2) return;
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

// The lowest scheduler with all that the task uses in its subtree; of a loop and its parts, with
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
  // What is elsewhere, a loop only reads: its parts stay where it is.
  if (home == proto::kNoAgent || !link_.topology().is_within(home, link_.self())) {
    return link_.self();
  }
  // Who is to run it is below, too.
  const AgentId worker = proto::bound_to(task.parcel);
  return worker == proto::kNoAgent ? home : link_.topology().common(home, worker);
}

// Nobody else needs to know the ways, and the task may be gone when its accesses enter.
void TaskTable::take_ways(const Record& parent, Task& task) {
  entering_.clear();
  for (Access& access : task.accesses) {
    const AgentId owner = owner_of_first(parent, access);
    entering_.emplace_back(
        owner,
        proto::Enter{.parent = parent.task->id,
                     .use = {.task = task.id,
                             .mode = access.mode,
                             .passes = passes(task, access),
                             .parts_of = access.is_part ? parent.task->id : deps::Use::kWhole},
                     .path = std::move(access.path)});
  }
}

AgentId TaskTable::owner_of_first(const Record& parent, const Access& access) const {
  const NodeId first = access.path.front();
  if (first.is_region()) return proto::owner_of_region(first);
  return find_access(parent, first)->owner;
}

// ---- from adoption to running -----------------------------------------------------------------

void TaskTable::handle(proto::Adopt& message) { adopt(std::move(message.task)); }

void TaskTable::adopt(proto::TaskPtr adopted_task) {
  Record& adopted = *records_.try_emplace(adopted_task->id).first;
  adopted.task = std::move(adopted_task);
  const Task& task = *adopted.task;
  adopted.index = AccessIndex(task.accesses);
  adopted.missing = task.accesses.size() + (task.waits_for_siblings ? 1 : 0);
  adopted.pieces.reserve(task.accesses.size());
  if (adopted.missing == 0) when_granted(adopted);
}

void TaskTable::handle(proto::Granted& message) {
  const FoundPart part = find_part(message.task);
  if (part.loop != nullptr && message.is_known) {
    part.loop->parts->brought.emplace(std::pair{message.task, message.node},
                                      std::move(message.pieces));
    static_cast<void>(grant_part(message.task));
    return;
  }
  Record& granted = record(message.task);
  const Access* const access = find_access(granted, message.node);
  if (!message.is_known) {
    const bool is_part = !granted.task->iterations.none();
    link_.environment().misuse(is_part ? Misuse::NotInRegion : Misuse::NoSuchNode,
                               granted.task->program, *access);
    return;
  }
  if (!is_told_later(*granted.task, *access)) {
    add_pieces(granted, *access, std::move(message.pieces));
  }
  count_granted(granted);
}

// Siblings that the task waits for may still have to write the part that is granted. So what it
// holds is asked for when all is granted, and these are done.
bool TaskTable::is_told_later(const Task& task, const Access& access) const {
  return access.is_part && access.transfers && task.waits_for_siblings && moves_data_ &&
         proto::needs_data(task.id);
}

void TaskTable::add_pieces(Record& record, const Access& access, Pieces pieces) {
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

void TaskTable::count_granted(Record& granted) {
  granted.missing -= 1;
  if (granted.missing != 0) return;
  ask_for_parts(granted);
  if (granted.missing == 0) when_granted(granted);
}

void TaskTable::ask_for_parts(Record& granted) {
  Task& task = *granted.task;
  for (const Access& access : task.accesses) {
    if (!is_told_later(task, access)) continue;
    granted.missing += 1;
    regions_.ask_for_pieces(access.owner, access.node,
                            [this, id = task.id, node = access.node](Pieces pieces) {
                              Record& asking = record(id);
                              add_pieces(asking, *find_access(asking, node), std::move(pieces));
                              count_granted(asking);
                            });
  }
  task.waits_for_siblings = false;
}

void TaskTable::handle(proto::SiblingsDone& message) { count_granted(record(message.task)); }

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
    case Purpose::Check:
      break;  // has no home
  }
}

// The parent may use again what it has waited for; its worker has it then. Which children have
// failed, it is told when all of them have ended.
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
  } else if (kept_.size() == 0 && placer_.has_room()) {
    const AgentId child = placer_.place_task(work.pieces);
    send_down(child, std::move(work));
  } else {
    const std::uint32_t rank = placer_.rank(work.time);
    const unsigned home_depth = link_.topology().depth(proto::home_of(work.task));
    kept_.push(std::move(work), rank, home_depth);
  }
}

void TaskTable::place_kept() {
  while (kept_.size() != 0 && placer_.has_room()) {
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
  for (const proto::Written& written : writer.task->written) {
    proto::Relocate message{.node = written.node, .producer = worker, .time = writer.task->time};
    if (written.is_part && moves_data_) {
      std::copy_if(writer.task->ranges.begin(), writer.task->ranges.end(),
                   std::back_inserter(message.parts),
                   [](const proto::UsedRange& range) { return range.mode == Mode::Write; });
    }
    link_.send(written.owner, std::move(message));
  }
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

// What it used a part of, it leaves when its children have ended: until then these are known to be
// in order with the task's siblings.
void TaskTable::leave(const Record& ended, bool parts) {
  for (const Access& access : ended.task->accesses) {
    if (access.is_part != parts) continue;
    link_.send(access.owner, proto::Done{.task = ended.task->id, .node = access.node});
  }
}

void TaskTable::handle(proto::WaitAll& message) {
  Record& waiting = record(message.task);
  waiting.waits_for_all_at = std::move(message.time);
  complete_if_over(waiting);
}

// All children have ended. What they have written comes back to the worker with a wait for all that
// the task has.
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
  parent.children -= 1;
  keep_first(parent.failure, std::move(message.failure));
  for (const TaskId task : parent.ranges.complete(message.child)) {
    link_.send(proto::home_of(task), proto::SiblingsDone{.task = task});
  }
  complete_if_over(parent);
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
