// SPDX-License-Identifier: Apache-2.0
#include "micro/script.hpp"

#include <algorithm>
#include <utility>

#include "base/contract.hpp"
#include "micro/sim_store.hpp"
#include "proto/ids.hpp"

namespace myr::bench {

using proto::NodeId;

ScriptRun::ScriptRun(const Script& script, const sched::Topology& topology, const Chip& chip,
                     Settings settings)
    : script_(script),
      regions_(script.regions, proto::kRootRegion),
      objects_(script.objects),
      times_(script.tasks.size()),
      machine_(topology, chip, settings, *this, without_bytes()) {}

Cycles ScriptRun::end() const {
  Cycles end = 0;
  for (const TaskTimes& times : times_) end = std::max(end, times.end);
  return end;
}

void ScriptRun::begin(AgentId worker, const proto::Work& work) {
  const auto task = static_cast<std::uint32_t>(work.program);
  times_[task] = {.worker = worker, .begin = machine_.now()};
  const proto::SerialClock clock =
      work.task == proto::kMain ? proto::SerialClock() : proto::SerialClock(work.time);
  bodies_.emplace(work.task, Body{.task = task, .clock = clock});
  go_on(work.task);
}

void ScriptRun::go_on(TaskId id) {
  Body& body = bodies_.at(id);
  const std::vector<Step>& steps = script_.tasks[body.task].steps;
  if (body.position == steps.size()) {
    end_task(id);
  } else {
    std::visit([&](const auto& what) { take(id, body, what); }, steps[body.position]);
  }
}

void ScriptRun::end_task(TaskId id) {
  const std::uint32_t task = bodies_.at(id).task;
  bodies_.erase(id);
  times_[task].end = machine_.now();
  machine_.ended(id, static_cast<std::uint32_t>(script_.tasks[task].accesses.size()));
}

void ScriptRun::take(TaskId id, Body& body, const step::Work& work) {
  body.position += 1;
  machine_.work(work.cycles);
  machine_.resume_later(id);
}

void ScriptRun::take(TaskId id, Body&, const step::NewRegion& region) {
  const NodeId parent = regions_[region.parent];
  machine_.send(proto::owner_of_region(parent),
                proto::NewRegion{.request = ask(id),
                                 .asker = times_[bodies_.at(id).task].worker,
                                 .parent = parent,
                                 .level_hint = region.level_hint});
}

void ScriptRun::take(TaskId id, Body& body, const step::Allocate& objects) {
  const NodeId region = regions_[objects.region];
  machine_.send(proto::owner_of_region(region), proto::Allocate{.request = ask(id),
                                                                .asker = times_[body.task].worker,
                                                                .region = region,
                                                                .bytes = objects.bytes,
                                                                .count = objects.count,
                                                                .time = body.clock.now()});
}

void ScriptRun::take(TaskId id, Body& body, const step::Spawn& spawn) {
  if (!machine_.may_spawn()) {
    machine_.resume_when_spawned(id);
    return;
  }
  auto task = std::make_unique<proto::Task>();
  task->parent = id;
  task->program = spawn.task;
  task->time = body.clock.spawn();
  for (const ScriptAccess& access : script_.tasks[spawn.task].accesses) {
    const NodeId node =
        access.is_region ? regions_[access.number] : NodeId::object(objects_[access.number]);
    task->accesses.push_back({.node = node, .mode = access.mode});
  }
  body.position += 1;
  machine_.spawn({.task = std::move(task)});
  machine_.resume_later(id);
}

void ScriptRun::take(TaskId id, Body& body, const step::WaitAll&) {
  body.position += 1;
  machine_.send(proto::home_of(id), proto::WaitAll{.task = id, .time = body.clock.now()});
  machine_.waits(id);
}

void ScriptRun::misuse(sched::Misuse kind, std::uint64_t program, const proto::Access&) {
  misuse_ =
      "misuse " + std::to_string(static_cast<int>(kind)) + " by task " + std::to_string(program);
}

// ---- answers ----------------------------------------------------------------------------------

proto::RequestId ScriptRun::ask(TaskId id) {
  asking_.emplace(next_request_, id);
  return next_request_++;
}

ScriptRun::Body& ScriptRun::answered(proto::RequestId request, TaskId& id) {
  const auto found = asking_.find(request);
  id = found->second;
  asking_.erase(found);
  return bodies_.at(id);
}

void ScriptRun::answer(const proto::RegionMade& answer) {
  MYR_ASSERT(answer.made);
  TaskId id = 0;
  Body& body = answered(answer.request, id);
  const Step& step = script_.tasks[body.task].steps[body.position++];
  regions_[std::get<step::NewRegion>(step).region] = answer.region;
  go_on(id);
}

void ScriptRun::answer(const proto::Allocated& answer) {
  TaskId id = 0;
  Body& body = answered(answer.request, id);
  const auto& objects = std::get<step::Allocate>(script_.tasks[body.task].steps[body.position++]);
  MYR_ASSERT(answer.addresses.size() == objects.count);
  std::copy(answer.addresses.begin(), answer.addresses.end(), objects_.begin() + objects.first);
  go_on(id);
}

}  // namespace myr::bench
