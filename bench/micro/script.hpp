// SPDX-License-Identifier: Apache-2.0
//
// Script: a synthetic program for simulated machines, as a list of steps for each task, and
// ScriptRun, which runs it and notes when what happened.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "cluster/sim/machine.hpp"

namespace myr::bench {

using cluster::sim::Settings;
using proto::AgentId;
using proto::TaskId;
using transport::sim::Chip;
using transport::sim::Cycles;

// Regions and objects are numbered in the script; region 0 is the root.
namespace step {
struct Work {
  Cycles cycles;
};
struct NewRegion {
  std::uint32_t region;
  std::uint32_t parent = 0;
  std::int32_t level_hint = 0;
};
struct Allocate {  // objects [first, first + count)
  std::uint32_t first;
  std::uint32_t count;
  std::uint32_t region = 0;
  std::uint64_t bytes = 64;
};
struct Spawn {
  std::uint32_t task;
};
struct WaitAll {};
}  // namespace step
using Step = std::variant<step::Work, step::NewRegion, step::Allocate, step::Spawn, step::WaitAll>;

struct ScriptAccess {
  bool is_region = false;
  std::uint32_t number = 0;
  proto::Mode mode = proto::Mode::Write;
};
struct TaskPlan {
  std::vector<ScriptAccess> accesses;
  std::vector<Step> steps;
};

struct Script {
  std::vector<TaskPlan> tasks;  // 0: main, which nothing spawns; others are spawned once at most
  std::uint32_t regions = 1;
  std::uint32_t objects = 0;
};

// When a task ran. Where it waited, others ran between.
struct TaskTimes {
  AgentId worker = proto::kNoAgent;
  Cycles begin = 0;
  Cycles end = 0;  // 0: it has not ended
};

class ScriptRun final : private cluster::sim::Bodies {
 public:
  ScriptRun(const Script& script, const sched::Topology& topology, const Chip& chip,
            Settings settings = {});

  // False: see cluster::sim::Machine.
  [[nodiscard]] bool run() { return machine_.run(); }
  // What the script does wrong, if that ended the run.
  [[nodiscard]] const std::string& misuse() const noexcept { return misuse_; }
  [[nodiscard]] const cluster::sim::Machine& machine() const noexcept { return machine_; }
  [[nodiscard]] const std::vector<TaskTimes>& times() const noexcept { return times_; }
  // When the last task has ended.
  [[nodiscard]] Cycles end() const;

 private:
  struct Body {
    std::uint32_t task = 0;
    std::uint32_t position = 0;
    proto::SerialClock clock;
  };

  void begin(AgentId worker, const proto::Work& work) override;
  void go_on(TaskId id) override;
  void answer(const proto::RegionMade& answer) override;
  void answer(const proto::Allocated& answer) override;
  void misuse(sched::Misuse kind, std::uint64_t program, const proto::Access& access) override;

  // Takes a step. The machine calls again for the next.
  void take(TaskId id, Body& body, const step::Work& work);
  void take(TaskId id, Body& body, const step::NewRegion& region);
  void take(TaskId id, Body& body, const step::Allocate& objects);
  void take(TaskId id, Body& body, const step::Spawn& spawn);
  void take(TaskId id, Body& body, const step::WaitAll& wait);
  void end_task(TaskId id);
  [[nodiscard]] proto::RequestId ask(TaskId id);
  [[nodiscard]] Body& answered(proto::RequestId request, TaskId& id);

  const Script& script_;
  std::vector<proto::NodeId> regions_;
  std::vector<std::uint64_t> objects_;
  std::vector<TaskTimes> times_;
  std::unordered_map<TaskId, Body> bodies_;
  std::unordered_map<proto::RequestId, TaskId> asking_;
  proto::RequestId next_request_ = 0;
  std::string misuse_;
  cluster::sim::Machine machine_;
};

}  // namespace myr::bench
