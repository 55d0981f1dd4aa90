// SPDX-License-Identifier: Apache-2.0
#include "sched/step_keeper.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/contract.hpp"
#include "sched/loop_parts.hpp"

namespace myr::sched {

using proto::AgentId;
using proto::Iterations;
using proto::Piece;
using proto::Pieces;
using proto::Purpose;
using proto::StepOrder;
using proto::StepSpawn;
using proto::Task;

namespace {

std::size_t task_count_of(const Task& spawn) {
  return spawn.loop == nullptr ? 1 : part_count_of(*spawn.loop);
}

Iterations iterations_of_part(const Task& spawn, std::size_t part) {
  return spawn.loop == nullptr ? Iterations{} : iterations_of(*spawn.loop, part);
}

std::uint32_t access_count_of(const Task& spawn, std::size_t part) {
  if (spawn.loop == nullptr) {
    return static_cast<std::uint32_t>(spawn.accesses.size() + spawn.ranges.size());
  }
  std::uint32_t count = 0;
  for_accesses(*spawn.loop, iterations_of(*spawn.loop, part),
               [&](const proto::Window&, proto::NodeId, std::size_t) { count += 1; });
  return count;
}

std::uint32_t part_with(const Task& spawn, std::uint64_t first_iteration) {
  if (spawn.loop == nullptr) return 0;
  const proto::Loop& loop = *spawn.loop;
  return static_cast<std::uint32_t>((first_iteration - loop.iterations.begin) / loop.grain);
}

}  // namespace

// ---- the run that is recorded -----------------------------------------------------------------

void StepKeeper::note_spawn(const Task& spawn) {
  const std::uint32_t number = spawn.place.step;
  const auto [found, is_new] = steps_.try_emplace(number);
  Step& step = found->second;
  if (is_new) tell_all(number, StepOrder::Note);
  MYR_ASSERT(step.spawns.size() == spawn.place.spawn);
  step.spawns.push_back(spawn);
  Task& noted = step.spawns.back();
  noted.place = {};
  const std::size_t count = step.first.back() + task_count_of(noted);
  step.is_fit = step.is_fit && count <= kTasksMax;
  noted.parcel = nullptr;  // each run has others
  if (!step.is_fit) return;
  step.first.push_back(static_cast<std::uint32_t>(count));
  step.placed.resize(count);
}

// What comes of it concerns the next run, and shall not keep the spawns of this one waiting.
void StepKeeper::handle(proto::StepRecorded& message) {
  const Step& step = step_of(message.step);
  if (step.is_fit) put_off_analysis(message.step, step);
}

StepKeeper::Step* StepKeeper::find_fit(std::uint32_t number) {
  const auto found = steps_.find(number);
  return found == steps_.end() || !found->second.is_fit ? nullptr : &found->second;
}

void StepKeeper::tell_all(std::uint32_t number, StepOrder order) {
  for (const AgentId scheduler : link_.topology().schedulers()) {
    if (!link_.topology().is_leaf_scheduler(scheduler)) continue;
    link_.send(scheduler, proto::StepNoting{.step = number, .order = order});
  }
}

void StepKeeper::handle(proto::StepUnfit& message) {
  const auto found = steps_.find(message.step);
  if (found != steps_.end()) found->second.is_fit = false;
}

// Few tasks at a time, with a look at messages between.
void StepKeeper::put_off_analysis(std::uint32_t number, const Step& step) {
  const std::uint32_t next = step.edges.task_count();
  const Task& spawn = step.spawns[step.analysed];
  link_.put_off(
      proto::StepAnalyse{.step = number,
                         .accesses = access_count_of(spawn, next - step.first[step.analysed]) *
                                     std::min(step.first[step.analysed + 1] - next, kAtOnce)});
}

void StepKeeper::analyse(const Task& spawn, std::uint32_t part, StepEdges& edges) {
  edges.begin_task();
  if (spawn.loop != nullptr) {
    for_accesses(*spawn.loop, iterations_of(*spawn.loop, part),
                 [&](const proto::Window& window, proto::NodeId object, std::size_t) {
                   edges.use(object, window.mode, window.transfers);
                 });
    return;
  }
  for (const proto::Access& access : spawn.accesses) {
    edges.use(access.node, access.mode, access.transfers);
  }
  for (const proto::UsedRange& range : spawn.ranges) edges.use(range);
}

void StepKeeper::handle(proto::StepAnalyse& message) {
  Step* const found = find_fit(message.step);
  if (found == nullptr) return;
  Step& step = *found;
  const std::uint32_t first = step.first[step.analysed];
  const std::uint32_t end =
      std::min(step.first[step.analysed + 1], step.edges.task_count() + kAtOnce);
  while (step.edges.task_count() < end) {
    analyse(step.spawns[step.analysed], step.edges.task_count() - first, step.edges);
  }
  if (end == step.first[step.analysed + 1]) step.analysed += 1;
  step.is_analysed = step.analysed == step.spawns.size();
  if (step.is_fit && !step.is_analysed) put_off_analysis(message.step, step);
  share_known(message.step, step);
  go_on(message.step);
}

void StepKeeper::handle(proto::StepNotes& message) {
  Step* const found = find_fit(message.step);
  if (found == nullptr) return;
  Step& step = *found;
  step.noted.push_back(std::move(message.pieces));
  const Piece* piece = step.noted.back().data();
  for (const proto::StepNote& note : message.notes) {
    const Task& spawn = step.spawns[note.spawn];
    Placed& placed = step.placed[step.first[note.spawn] + part_with(spawn, note.first_iteration)];
    MYR_ASSERT(placed.worker == proto::kNoAgent);
    placed = {.worker = note.worker, .pieces = {piece, note.piece_count}};
    piece += note.piece_count;
  }
  share_known(message.step, step);
}

// ---- the record is given out --------------------------------------------------------------------

// In serial order, so those that a task waits for have their places; and when it is known which
// objects tasks will write.
void StepKeeper::share_known(std::uint32_t number, Step& step) {
  if (!step.is_fit || !step.is_analysed || step.is_sharing) return;
  auto end = static_cast<std::uint32_t>(step.places.size());
  const std::uint32_t most = std::min(step.first.back(), end + kAtOnce);
  while (end < most && step.placed[end].worker != proto::kNoAgent) end += 1;
  const std::uint32_t count = end - static_cast<std::uint32_t>(step.places.size());
  if (count != 0) {
    step.is_sharing = true;
    link_.put_off(proto::StepShare{.step = number, .tasks = count});
  } else if (step.is_whole && end == step.first.back() && !std::exchange(step.is_sealed, true)) {
    link_.put_off(proto::StepSeal{.step = number});
  }
}

void StepKeeper::handle(proto::StepShare& message) {
  Step* const found = find_fit(message.step);
  if (found == nullptr) return;
  Step& step = *found;
  for (std::uint32_t i = 0; i < message.tasks; ++i) {
    share(message.step, step, static_cast<std::uint32_t>(step.places.size()));
  }
  step.is_sharing = false;
  share_known(message.step, step);
}

void StepKeeper::share(std::uint32_t number, Step& step, std::uint32_t task) {
  while (step.first[step.spawn + 1] == task) step.spawn += 1;
  const Task& spawn = step.spawns[step.spawn];
  const AgentId worker = step.placed[task].worker;
  const AgentId scheduler = link_.topology().parent(worker);
  Portion& portion = step.portions[scheduler];
  if (portion.spawns.empty() || portion.spawns.back() != step.spawn) {
    portion.spawns.push_back(step.spawn);
  }
  const std::uint32_t place =
      portion.add({.spawn = static_cast<std::uint32_t>(portion.spawns.size() - 1),
                   .iterations = iterations_of_part(spawn, task - step.first[step.spawn]),
                   .worker = worker,
                   .piece_count = static_cast<std::uint32_t>(step.placed[task].pieces.size())});
  step.places.push_back({.scheduler = scheduler, .task = place});
  add_pieces(step, task, portion);
  for (const std::uint32_t elder : step.edges.before(task)) link(step, elder, task);
  // Before that it may be for nothing.
  if (step.is_whole && portion.untold.tasks.size() >= kToldAtOnce) tell(number, scheduler, portion);
}

// Adds what the task fetches in the runs to come: tasks that it waits for, or the run before, have
// left its objects where they ran.
void StepKeeper::add_pieces(Step& step, std::uint32_t task, Portion& portion) {
  std::uint64_t object = 0;
  std::uint32_t next = 0;
  for (const Piece& piece : step.placed[task].pieces) {
    const std::uint32_t number = next++;
    if (!piece.goes_on) object = piece.address;
    const StepEdges::Source source = step.edges.source_of(task, object);
    portion.untold.pieces.push_back(piece);
    const bool is_present = source.before != kNobody;
    const std::uint32_t writer =
        is_present || source.last == nullptr ? source.before : *source.last;
    if (writer == kNobody) continue;  // it stays where it is
    portion.untold.pieces.back().version = proto::replayed_version(writer, is_present);
    if (step.placed[writer].worker != proto::kNoAgent) {
      portion.untold.pieces.back().producer = step.placed[writer].worker;
    } else if (piece.is_read) {
      portion.untold.open.push_back(
          {.task = step.places[task].task, .piece = number, .writer = writer});
      if (portion.awaited.empty() || portion.awaited.back() != writer) {
        portion.awaited.push_back(writer);
      }
    }
  }
}

void StepKeeper::link(Step& step, std::uint32_t elder, std::uint32_t task) {
  const Place own = step.places[task];
  const Place before = step.places[elder];
  Portion& there = step.portions[before.scheduler];
  std::uint32_t target = own.task;
  if (before.scheduler != own.scheduler) {
    // A task that has no worker stands for all of them that are there.
    const auto [found, is_new] = there.standing_for.try_emplace(task, 0);
    if (is_new) {
      found->second =
          there.add({.spawn = 0, .iterations = {}, .worker = proto::kNoAgent, .piece_count = 0});
      there.untold.links.push_back(
          {.elder = found->second, .scheduler = own.scheduler, .task = own.task});
      step.portions[own.scheduler].untold.links.push_back(
          {.elder = proto::StepLink::kElsewhere, .scheduler = own.scheduler, .task = own.task});
    }
    target = found->second;
  }
  there.untold.links.push_back(
      {.elder = before.task, .scheduler = before.scheduler, .task = target});
}

void StepKeeper::tell(std::uint32_t number, AgentId scheduler, Portion& portion) {
  portion.untold.step = number;
  link_.send(scheduler, std::exchange(portion.untold, {}));
}

std::uint32_t StepKeeper::Portion::add(const proto::StepTask& task) {
  untold.tasks.push_back(task);
  return task_count++;
}

void StepKeeper::handle(proto::StepSeal& message) {
  Step* const found = find_fit(message.step);
  if (found == nullptr) return;
  Step& step = *found;
  for (auto& [scheduler, portion] : step.portions) {
    tell(message.step, scheduler, portion);
    proto::StepSealed sealed{.step = message.step, .writers = {}};
    for (const std::uint32_t task : portion.awaited) {
      sealed.writers.push_back({.task = task, .worker = step.placed[task].worker});
    }
    link_.send(scheduler, std::move(sealed));
  }
  step.is_shared = true;
  go_on(message.step);
}

// ---- runs ---------------------------------------------------------------------------------------

void StepKeeper::handle(proto::StepRun& message) {
  Step& step = step_of(message.step);
  MYR_ASSERT(message.spawns.size() == step.spawns.size());
  step.runs.push_back(std::move(message.spawns));
  step.does_main_wait = message.waits;
  if (!std::exchange(step.is_whole, true) && step.is_fit) {
    tell_all(message.step, StepOrder::Tell);
    share_known(message.step, step);
  }
  go_on(message.step);
}

void StepKeeper::granted(const Task& unit) {
  step_of(unit.place.step).unit = unit.id;
  go_on(unit.place.step);
}

void StepKeeper::handle(proto::StepClose& message) {
  const auto found = steps_.find(message.step);
  if (found == steps_.end()) return;
  Step& step = found->second;
  step.is_closed = true;
  if (!step.is_whole) {
    end(message.step, step);  // it did not come again
  } else {
    go_on(message.step);
  }
}

void StepKeeper::handle(proto::StepOver& message) {
  Step& step = step_of(message.step);
  step.running -= 1;
  keep_first(step.failure, std::move(message.failure));
  if (message.has_spawned) step.is_fit = false;
  go_on(message.step);
}

void StepKeeper::go_on(std::uint32_t number) {
  Step& step = step_of(number);
  if (step.unit != 0 && step.running == 0) begin_runs(number, step);
  let_main_go_on(step);
  const bool is_over = step.runs.empty() && step.running == 0;
  if (step.unit != 0 && is_over && step.is_closed) end(number, step);
}

// All that can begin.
void StepKeeper::begin_runs(std::uint32_t number, Step& step) {
  while (!step.runs.empty()) {
    if (step.is_fit) {
      if (step.is_shared) replay(number, step);
      return;  // else some note is on its way
    }
    forget(number, step);
    spawn_all(step, step.runs.front());
    step.runs.pop_front();
  }
}

// Main waits because it is far ahead.
void StepKeeper::let_main_go_on(Step& step) {
  const std::size_t left = step.runs.size() * step.spawns.size();
  if (left > proto::StepRun::kTasksLeftMax || !std::exchange(step.does_main_wait, false)) return;
  const AgentId worker = link_.topology().workers().front();
  placer_.task_returns(worker, proto::kMain);
  link_.send(worker, proto::WaitOver{.task = proto::kMain, .pieces = {}});
}

void StepKeeper::replay(std::uint32_t number, Step& step) {
  const std::vector<StepSpawn> run = std::move(step.runs.front());
  step.runs.pop_front();
  step.running = step.portions.size();
  if (step.run == 0) step.run = ++run_count_;  // the recorded one
  const proto::StepRuns runs{.present = ++run_count_, .before = step.run};
  step.run = runs.present;
  for (const auto& [scheduler, portion] : step.portions) {
    proto::StepBegin begin{.step = number, .runs = runs, .spawns = {}};
    for (const std::uint32_t spawn : portion.spawns) begin.spawns.push_back(run[spawn]);
    link_.send(scheduler, std::move(begin));
  }
}

// As children of the unit they come before all that is behind it.
void StepKeeper::spawn_all(const Step& step, const std::vector<StepSpawn>& run) {
  for (std::size_t i = 0; i < run.size(); ++i) {
    auto task = std::make_unique<Task>(step.spawns[i]);
    task->parent = step.unit;
    task->program = run[i].program;
    task->time = run[i].time;
    task->parcel = run[i].parcel;
    link_.send(link_.self(), proto::Spawn{.task = std::move(task)});
  }
}

void StepKeeper::end(std::uint32_t number, Step& step) {
  if (step.unit != 0) {
    link_.send(link_.self(),
               proto::BodyEnded{.task = step.unit, .failure = std::move(step.failure)});
  }
  forget(number, step);
  steps_.erase(number);
}

void StepKeeper::forget(std::uint32_t number, Step& step) {
  if (std::exchange(step.is_forgotten, true)) return;
  tell_all(number, StepOrder::Forget);
}

}  // namespace myr::sched
