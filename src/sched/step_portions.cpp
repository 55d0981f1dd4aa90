// SPDX-License-Identifier: Apache-2.0
#include "sched/step_portions.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/contract.hpp"

namespace myr::sched {

using proto::StepLink;
using proto::StepOrder;
using proto::TaskId;

// ---- the run that is recorded -----------------------------------------------------------------

void StepPortions::note(const proto::Work& work, proto::AgentId worker) {
  const auto found = steps_.find(work.place.step);
  if (found == steps_.end()) return;  // main has done something else
  Step& step = found->second;
  step.notes.notes.push_back({.spawn = work.place.spawn,
                              .first_iteration = work.iterations.begin,
                              .worker = worker,
                              .piece_count = 0});
  if (!give_) {
    step.notes.notes.back().piece_count = static_cast<std::uint32_t>(work.pieces.size());
    step.notes.pieces.insert(step.notes.pieces.end(), work.pieces.begin(), work.pieces.end());
  }
  if (step.is_wanted || step.notes.notes.size() >= kToldAtOnce) tell(step);
}

void StepPortions::tell(Step& step) {
  const std::uint32_t number = step.notes.step;
  link_.send(proto::kTop, std::exchange(step.notes, {.step = number, .notes = {}, .pieces = {}}));
}

void StepPortions::handle(proto::StepNoting& message) {
  switch (message.order) {
    case StepOrder::Note:
      steps_[message.step].notes.step = message.step;
      return;
    case StepOrder::Tell: {
      Step& step = steps_.at(message.step);
      step.is_wanted = true;
      if (!step.notes.notes.empty()) tell(step);
      return;
    }
    case StepOrder::Forget: {
      const Step& step = steps_.at(message.step);
      for (const auto& [worker, count] : step.works) {
        if (step.is_sealed) placer_.step_ends(worker);
        link_.send(worker, proto::StepForgotten{.step = message.step});
      }
      steps_.erase(message.step);
      return;
    }
  }
}

// ---- runs that are replayed ---------------------------------------------------------------------

void StepPortions::handle(proto::StepPortion& message) {
  Step& step = steps_.at(message.step);
  const proto::Piece* piece = message.pieces.data();
  for (const proto::StepTask& told : message.tasks) {
    Task& task = step.tasks.emplace_back(Task{.spawn = told.spawn, .worker = told.worker});
    if (!task.runs()) continue;
    step.count += 1;
    task.iterations = told.iterations;
    if (give_) continue;
    task.work = step.works[told.worker]++;
    proto::StepWork work{.step = message.step, .iterations = told.iterations, .pieces = {}};
    work.pieces.append(piece, piece + told.piece_count);
    piece += told.piece_count;
    link_.send(told.worker, std::move(work));
  }
  step.open.insert(step.open.end(), message.open.begin(), message.open.end());
  for (const proto::StepLink& link : message.links) {
    if (link.elder != StepLink::kElsewhere) {
      step.tasks[link.elder].links.push_back({.scheduler = link.scheduler, .task = link.task});
    }
    // A task that stands for others here is counted where the waiting task is.
    const bool is_elsewhere = link.scheduler != link_.self();
    const bool stands = link.elder != StepLink::kElsewhere && !step.tasks[link.elder].runs();
    if (!is_elsewhere && !stands) step.tasks[link.task].predecessors += 1;
  }
}

void StepPortions::handle(proto::StepSealed& message) {
  Step& step = steps_.at(message.step);
  std::map<std::uint32_t, proto::AgentId> worker_of;
  for (const proto::StepWriter& writer : message.writers) worker_of[writer.task] = writer.worker;
  for (const proto::StepOpen& open : step.open) {
    const Task& task = step.tasks[open.task];
    link_.send(task.worker, proto::StepPiece{.step = message.step,
                                             .work = task.work,
                                             .piece = open.piece,
                                             .producer = worker_of.at(open.writer)});
  }
  step.open = {};
  for (std::uint32_t i = 0; i < step.tasks.size(); ++i) {
    Task& task = step.tasks[i];
    task.missing = task.predecessors;
    if (task.predecessors == 0) step.firsts.push_back(i);
  }
  for (const auto& [worker, count] : step.works) placer_.step_begins(worker);
  step.is_sealed = true;
}

void StepPortions::handle(proto::StepBegin& message) {
  Step& step = steps_.at(message.step);
  step.runs = message.runs;
  step.spawns = std::move(message.spawns);
  step.left = step.count;
  step.has_spawned = false;
  id_count_ += step.tasks.size();
  step.first_id =
      proto::make_replayed_id(link_.self(), link_.topology().depth(link_.self()), id_count_);
  running_.emplace(step.first_id, message.step);
  for (const std::uint32_t task : step.firsts) begin(step, task);
  for (const std::uint32_t task : std::exchange(step.early, {})) {
    count_off(message.step, step, task);
  }
}

void StepPortions::begin(const Step& step, std::uint32_t index) {
  const Task& task = step.tasks[index];
  const proto::StepSpawn& spawn = step.spawns[task.spawn];
  if (give_) {
    return give_({.task = step.first_id + index,
                  .program = spawn.program,
                  .time = spawn.time,
                  .pieces = {},
                  .iterations = task.iterations,
                  .place = {.is_replayed = true}});
  }
  link_.send(task.worker, proto::Replay{.task = step.first_id + index,
                                        .step = step.notes.step,
                                        .work = task.work,
                                        .runs = step.runs,
                                        .spawn = spawn});
}

void StepPortions::handle(proto::StepCount& message) {
  Step& step = steps_.at(message.step);
  if (step.left == 0) {
    step.early.push_back(message.task);
  } else {
    count_off(message.step, step, message.task);
  }
}

// One that the task waits for has ended. The last one that is taken off sets the count for the next
// run.
void StepPortions::count_off(std::uint32_t number, Step& step, std::uint32_t index) {
  Task& task = step.tasks[index];
  task.missing -= 1;
  if (task.missing != 0) return;
  task.missing = task.predecessors;
  if (task.runs()) return begin(step, index);
  const Successor& link = task.links[0];
  link_.send(link.scheduler, proto::StepCount{.step = number, .task = link.task});
}

void StepPortions::handle(proto::ReplayEnded& message) {
  const auto run = std::prev(running_.upper_bound(message.task));
  const std::uint32_t number = run->second;
  Step& step = steps_.at(number);
  const Task& task = step.tasks[message.task - run->first];
  step.has_spawned |= message.has_spawned;
  keep_first(step.failure, std::move(message.failure));
  for (const Successor& link : task.links) count_off(number, step, link.task);
  step.left -= 1;
  if (step.left != 0) return;
  running_.erase(run);
  link_.send(proto::kTop, proto::StepOver{.step = number,
                                          .has_spawned = step.has_spawned,
                                          .failure = std::exchange(step.failure, nullptr)});
}

}  // namespace myr::sched
