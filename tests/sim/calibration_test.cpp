// SPDX-License-Identifier: Apache-2.0
//
// How near the simulated Formic prototype is to the numbers that it was calibrated on, those of
// fig. 7a of paper 1: one scheduler, one worker, 1,000 empty tasks with the same object.
#include <doctest/doctest.h>

#include "micro/script.hpp"

namespace myr::bench {

namespace {

constexpr std::uint32_t kTasks = 1'000;

struct PerTask {
  double spawn;
  double execute;
};

PerTask measure(const Chip& chip) {
  Script script{.tasks = std::vector<TaskPlan>(1 + kTasks), .objects = 1};
  std::vector<Step>& main = script.tasks[0].steps;
  main = {step::Allocate{.first = 0, .count = 1}};
  for (std::uint32_t task = 1; task <= kTasks; ++task) {
    main.emplace_back(step::Spawn{.task = task});
    script.tasks[task].accesses = {{.number = 0}};
  }
  const sched::Topology topology = sched::Topology::of_fan_outs({1});
  ScriptRun run(script, topology, chip, {.spawns_ahead = 1});
  REQUIRE(run.run());
  const auto spawned = static_cast<double>(run.times()[0].end);
  return {.spawn = spawned / kTasks,
          .execute = (static_cast<double>(run.end()) - spawned) / kTasks};
}

}  // namespace

TEST_CASE("fig. 7a: a scheduler on a strong core, a worker on a weak one") {
  const PerTask measured = measure(Chip::named("formic-520").value());
  CHECK(measured.spawn == doctest::Approx(16'200).epsilon(0.01));
  CHECK(measured.execute == doctest::Approx(13'300).epsilon(0.01));
}

TEST_CASE("fig. 7a: both on weak cores") {
  const PerTask measured = measure(Chip::named("formic-512").value());
  CHECK(measured.spawn == doctest::Approx(37'400).epsilon(0.01));
}

}  // namespace myr::bench
