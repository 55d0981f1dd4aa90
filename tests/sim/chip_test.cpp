// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "cluster/sim/machine.hpp"
#include "micro/script.hpp"

namespace myr::bench {

using sched::Topology;

namespace {

Chip chip_of(unsigned strong, unsigned weak) {
  return Chip::formic({.strong = strong, .weak = weak});
}

// Coarse tasks, each with a region, spawn fine ones with its objects; some are followed by a task
// on all of the region.
Script random_script(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Script script;
  script.tasks.emplace_back();
  const auto spawn = [&](std::uint32_t parent, TaskPlan plan) {
    const auto task = static_cast<std::uint32_t>(script.tasks.size());
    script.tasks.push_back(std::move(plan));
    script.tasks[parent].steps.emplace_back(step::Spawn{.task = task});
    return task;
  };
  const auto work = [&] { return Step{step::Work{.cycles = random() % 50'000}}; };
  for (unsigned coarse = 0; coarse < 6; ++coarse) {
    const std::uint32_t region = script.regions++;
    const std::uint32_t first = script.objects;
    constexpr std::uint32_t kObjects = 4;
    script.objects += kObjects;
    std::vector<Step>& main = script.tasks[0].steps;
    main.emplace_back(step::NewRegion{.region = region});
    main.emplace_back(step::Allocate{
        .first = first, .count = kObjects, .region = region, .bytes = 64 + random() % 4096});
    const ScriptAccess whole{.is_region = true, .number = region};
    const std::uint32_t parent = spawn(0, {.accesses = {whole}, .steps = {work()}});
    for (unsigned fine = 0; fine < 12; ++fine) {
      const ScriptAccess access{.number = first + static_cast<std::uint32_t>(random() % kObjects),
                                .mode = random() % 2 == 0 ? proto::Mode::Read : proto::Mode::Write};
      spawn(parent, {.accesses = {access}, .steps = {work()}});
    }
    if (random() % 2 == 0) script.tasks[parent].steps.emplace_back(step::WaitAll{});
    if (random() % 2 == 0) spawn(0, {.accesses = {whole}, .steps = {work()}});
  }
  if (random() % 2 == 0) script.tasks[0].steps.emplace_back(step::WaitAll{});
  return script;
}

bool conflict(const ScriptAccess& a, const ScriptAccess& b) {
  if (a.is_region != b.is_region || a.number != b.number) return false;
  return a.mode == proto::Mode::Write || b.mode == proto::Mode::Write;
}

// Tasks that nothing waits for between, and that use the same object or region, run one after the
// other, in the order of their spawns.
void check_order(const Script& script, const std::vector<TaskTimes>& times) {
  for (std::size_t later = 1; later < script.tasks.size(); ++later) {
    CHECK(times[later].end >= times[later].begin);
    CHECK(times[later].end != 0);
    for (std::size_t earlier = 1; earlier < later; ++earlier) {
      const ScriptAccess& before = script.tasks[earlier].accesses.front();
      if (!conflict(before, script.tasks[later].accesses.front())) continue;
      CHECK(times[earlier].end <= times[later].begin);
    }
  }
}

}  // namespace

TEST_CASE("random scripts run in the order of their dependences, and the same every time") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  for (std::uint64_t i = 0; i < 12; ++i) {
    CAPTURE(i);
    const Script script = random_script(seed + i);
    const Topology topology = i % 3 == 0 ? Topology::of_fan_outs({5})
                                         : (i % 3 == 1 ? Topology::of_fan_outs({3, 4})
                                                       : Topology::of_fan_outs({2, 2, 2}));
    const Chip chip = chip_of(i % 4 == 0 ? 0 : 4, 20);
    const Settings settings{.spawns_ahead = i % 2 == 0 ? 1 : Settings::kNoLimit};
    ScriptRun first(script, topology, chip, settings);
    REQUIRE(first.run());
    check_order(script, first.times());
    ScriptRun second(script, topology, chip, settings);
    REQUIRE(second.run());
    CHECK(first.end() == second.end());
    CHECK(first.machine().now() == second.machine().now());
    CHECK(first.machine().event_count() == second.machine().event_count());
  }
}

TEST_CASE("data that another worker has written takes its time to come") {
  Script script{.tasks = {{}, {}}, .objects = 1};
  const auto begin_of_task = [&](std::uint64_t bytes) {
    script.tasks[0].steps = {step::Allocate{.first = 0, .count = 1, .bytes = bytes},
                             step::Spawn{.task = 1}, step::Work{.cycles = 10'000'000}};
    script.tasks[1].accesses = {{.number = 0}};
    const Topology topology = Topology::of_fan_outs({2});
    const Chip chip = chip_of(1, 2);
    ScriptRun run(script, topology, chip);
    REQUIRE(run.run());
    CHECK(run.times()[1].worker == 2);  // main keeps the first one busy
    CHECK(run.machine().usage_of(2).fetched_bytes == bytes);
    return run.times()[1].begin;
  };
  const Cycles small = begin_of_task(64);
  CHECK(begin_of_task(64 + 400'000) - small == 400'000 / transport::sim::kFormic.bytes_per_cycle);
}

TEST_CASE("a task with many objects takes no more messages than a task with one") {
  const auto messages_of = [](std::uint32_t objects) {
    Script script{.tasks = {{}, {}}, .regions = 2, .objects = objects};
    script.tasks[0].steps = {step::NewRegion{.region = 1},
                             step::Allocate{.first = 0, .count = objects, .region = 1},
                             step::Spawn{.task = 1}};
    for (std::uint32_t i = 0; i < objects; ++i) script.tasks[1].accesses.push_back({.number = i});
    const Topology topology = Topology::of_fan_outs({2, 2});  // the region is a leaf scheduler's
    const Chip chip = chip_of(3, 4);
    ScriptRun run(script, topology, chip);
    REQUIRE(run.run());
    std::uint64_t messages = 0;
    for (const AgentId agent : topology.schedulers()) {
      messages += run.machine().usage_of(agent).messages;
    }
    return messages;
  };
  CHECK(messages_of(8) == messages_of(1));
}

TEST_CASE("a program that writes what it may only read ends with a message") {
  Script script{.tasks = {{}, {}, {}}, .objects = 1};
  script.tasks[0].steps = {step::Allocate{.first = 0, .count = 1}, step::Spawn{.task = 1}};
  script.tasks[1] = {.accesses = {{.number = 0, .mode = proto::Mode::Read}},
                     .steps = {step::Spawn{.task = 2}}};
  script.tasks[2].accesses = {{.number = 0}};
  const Topology topology = Topology::of_fan_outs({2});
  const Chip chip = chip_of(1, 2);
  ScriptRun run(script, topology, chip);
  CHECK_FALSE(run.run());
  CHECK(run.misuse().find("by task 2") != std::string::npos);
}

}  // namespace myr::bench
