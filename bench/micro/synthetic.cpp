// SPDX-License-Identifier: Apache-2.0
//
// The synthetic programs of paper 1, section VI, on a simulated chip, one run a call; prints one
// JSON object. ./dev figures myrmics draws figs. 7a, 7b, 12a and 12b from them.
//
//   empty        tasks that do nothing, all on the same object: what a task costs (fig. 7a)
//   independent  tasks of one size, each on an object of its own (figs. 7b, 12a)
//   arguments    tasks that do nothing, with many objects each, in a region of the lowest level
//   levels       a hierarchy of small regions with tasks that do nothing (fig. 12b)
//
//   myr_bench_synthetic [--chip CHIP] [--fan-outs N,N,...] [--spawns-ahead N] PROGRAM [OPTIONS]
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster/sim/core_map.hpp"
#include "micro/script.hpp"

namespace {

using myr::bench::Script;
using myr::bench::ScriptRun;
using myr::bench::TaskPlan;
using myr::cluster::sim::Cycles;
using myr::cluster::sim::map_to_cores;
using myr::cluster::sim::Settings;
using myr::sched::Topology;
using myr::transport::sim::Chip;
namespace step = myr::bench::step;

struct Options {
  std::string chip = "formic-520";
  std::vector<unsigned> fan_outs = {1};
  Settings settings{.spawns_ahead = 1};
  std::uint32_t tasks = 0;  // per worker in `levels`
  Cycles task_cycles = 0;
  std::uint32_t region_tasks = 24;  // in a small region
  std::uint32_t objects = 1;        // of a task in `arguments`
};

// Adds a task that `parent` spawns next. Returns its number.
std::uint32_t add_task(Script& script, std::uint32_t parent, TaskPlan plan) {
  const auto task = static_cast<std::uint32_t>(script.tasks.size());
  script.tasks.push_back(std::move(plan));
  script.tasks[parent].steps.emplace_back(step::Spawn{.task = task});
  return task;
}

Script empty_tasks(const Options& options) {
  Script script{.tasks = std::vector<TaskPlan>(1), .objects = 1};
  script.tasks[0].steps = {step::Allocate{.first = 0, .count = 1}};
  for (std::uint32_t i = 0; i < options.tasks; ++i) {
    add_task(script, 0, {.accesses = {{.number = 0}}});
  }
  return script;
}

Script independent_tasks(const Options& options) {
  Script script{.tasks = std::vector<TaskPlan>(1), .objects = options.tasks};
  script.tasks[0].steps = {step::Allocate{.first = 0, .count = options.tasks}};
  for (std::uint32_t i = 0; i < options.tasks; ++i) {
    add_task(script, 0,
             {.accesses = {{.number = i}}, .steps = {step::Work{.cycles = options.task_cycles}}});
  }
  return script;
}

// Tasks share no objects with those that may still be under way.
Script tasks_with_arguments(const Options& options) {
  constexpr std::uint32_t kUnderWay = 64;
  const std::uint32_t count = options.objects;
  Script script{.tasks = std::vector<TaskPlan>(1), .regions = 2, .objects = kUnderWay * count};
  script.tasks[0].steps = {step::NewRegion{.region = 1},
                           step::Allocate{.first = 0, .count = script.objects, .region = 1}};
  for (std::uint32_t i = 0; i < options.tasks; ++i) {
    TaskPlan plan;
    for (std::uint32_t k = 0; k < count; ++k) {
      plan.accesses.push_back({.number = i % kUnderWay * count + k});
    }
    add_task(script, 0, std::move(plan));
  }
  return script;
}

// The same program for all trees with as many workers, made for leaf schedulers that have kGroup
// workers and for schedulers above that have kGroup leaves: a part of the program for each of the
// latter, in it a group for each leaf, and there one small region after the other. The owner of the
// group's region handles its small regions: the schedulers above the leaves are what is strained.
class LevelsScript {
 public:
  static constexpr std::uint32_t kGroup = 6;

  LevelsScript(const Options& options, std::uint32_t workers) : options_(options) {
    const std::uint32_t groups = (workers + kGroup - 1) / kGroup;
    script_.tasks.resize(1);
    for (std::uint32_t first = 0; first < groups; first += kGroup) {
      const std::uint32_t part = add_region_task(0, 0, kAboveLeaves);
      for (std::uint32_t group = first; group < std::min(groups, first + kGroup); ++group) {
        add_group(part, std::min(kGroup, workers - group * kGroup));
      }
    }
  }
  [[nodiscard]] Script take() { return std::move(script_); }

 private:
  static constexpr std::int32_t kAboveLeaves = 1;  // as level hints count
  static constexpr std::int32_t kLeaves = 0;

  // A new region, made and given to a new task by `parent`, which has `outer`. The region's number
  // is region_of(task).
  std::uint32_t add_region_task(std::uint32_t parent, std::uint32_t outer, std::int32_t level) {
    const std::uint32_t region = script_.regions++;
    script_.tasks[parent].steps.emplace_back(
        step::NewRegion{.region = region, .parent = outer, .level_hint = level});
    return add_task(script_, parent, {.accesses = {{.is_region = true, .number = region}}});
  }
  [[nodiscard]] std::uint32_t region_of(std::uint32_t task) const {
    return script_.tasks[task].accesses.front().number;
  }

  void add_group(std::uint32_t part, std::uint32_t workers) {
    const std::uint32_t group = add_region_task(part, region_of(part), kAboveLeaves);
    std::uint32_t left = workers * options_.tasks;
    while (left > 0) {
      const std::uint32_t count = std::min(left, options_.region_tasks);
      add_small_region(group, count);
      left -= count;
    }
  }

  void add_small_region(std::uint32_t group, std::uint32_t count) {
    const std::uint32_t task = add_region_task(group, region_of(group), kLeaves);
    const std::uint32_t first = script_.objects;
    script_.objects += count;
    script_.tasks[task].steps.emplace_back(
        step::Allocate{.first = first, .count = count, .region = region_of(task)});
    for (std::uint32_t i = 0; i < count; ++i) {
      add_task(script_, task, {.accesses = {{.number = first + i}}});
    }
  }

  const Options& options_;
  Script script_;
};

// The part of the time for which schedulers are busy.
struct Busy {
  double mean = 0;
  double max = 0;
};

Busy scheduler_busy(const ScriptRun& run, const Topology& topology) {
  Busy busy;
  for (const auto agent : topology.schedulers()) {
    const auto cycles = static_cast<double>(run.machine().usage_of(agent).runtime_ticks +
                                            run.machine().usage_of(agent).memory_ticks);
    const double part = cycles / static_cast<double>(run.end());
    busy.mean += part / static_cast<double>(topology.schedulers().size());
    busy.max = std::max(busy.max, part);
  }
  return busy;
}

std::uint64_t scheduler_messages(const ScriptRun& run, const Topology& topology) {
  std::uint64_t messages = 0;
  for (const auto agent : topology.schedulers()) messages += run.machine().usage_of(agent).messages;
  return messages;
}

Script make_script(const std::string& program, const Options& options, std::uint32_t workers) {
  if (program == "empty") return empty_tasks(options);
  if (program == "independent") return independent_tasks(options);
  if (program == "arguments") return tasks_with_arguments(options);
  return LevelsScript(options, workers).take();
}

int fail(const std::string& why) {
  fmt::print(stderr, "synthetic: {}\n", why);
  return 1;
}

int run(const std::string& program, const Options& options) {
  const auto chip = Chip::named(options.chip);
  if (!chip) return fail("there is no chip " + options.chip);
  const Topology topology = Topology::of_fan_outs(options.fan_outs);
  if (!map_to_cores(topology, *chip)) return fail("there are too few cores for so many agents");
  const auto workers = static_cast<std::uint32_t>(topology.workers().size());
  const Script script = make_script(program, options, workers);
  ScriptRun machine(script, topology, *chip, options.settings);
  if (!machine.run()) return fail(machine.misuse());
  const Busy busy = scheduler_busy(machine, topology);
  fmt::print(R"({{"bench": "{}", "chip": "{}", "levels": {}, "schedulers": {}, "workers": {}, )"
             R"("tasks": {}, "task_cycles": {}, "cycles": {}, "main_cycles": {}, )"
             R"("scheduler_busy_mean": {:.4f}, "scheduler_busy_max": {:.4f}, )"
             R"("scheduler_messages": {}}})"
             "\n",
             program, options.chip, options.fan_outs.size(), topology.schedulers().size(), workers,
             script.tasks.size() - 1, options.task_cycles, machine.end(), machine.times()[0].end,
             busy.mean, busy.max, scheduler_messages(machine, topology));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Runs a synthetic program of paper 1 on a simulated chip.");
  app.add_option("--chip", options.chip, "the simulated chip")->capture_default_str();
  app.add_option("--fan-outs", options.fan_outs,
                 "children of a scheduler, by level from the top; the last one counts workers")
      ->delimiter(',')
      ->check(CLI::Range(1U, Chip::kCoresMax));
  app.add_option("--spawns-ahead", options.settings.spawns_ahead,
                 "spawns of a worker not yet handled; the published runtime has one")
      ->capture_default_str();
  const auto add_program = [&](const std::string& name, const std::string& text,
                               std::uint32_t tasks) {
    CLI::App* program = app.add_subcommand(name, text);
    // The default of the program that is chosen.
    program->preparse_callback([&options, tasks](std::size_t) { options.tasks = tasks; });
    program->add_option("--tasks", options.tasks, fmt::format("default: {}", tasks))
        ->check(CLI::Range(1U, 1'000'000U));
    return program;
  };
  app.require_subcommand(1);
  add_program("empty", "Tasks that do nothing, all on the same object.", 1'000);
  add_program("independent", "Tasks of one size, each on an object of its own.", 512)
      ->add_option("--task-cycles", options.task_cycles, "how long a task works");
  add_program("arguments", "Tasks that do nothing, with many objects each.", 640)
      ->add_option("--objects", options.objects, "of each task")
      ->check(CLI::Range(1U, 1'000U));
  add_program("levels", "Small regions with tasks that do nothing; --tasks is by worker.", 96)
      ->add_option("--region-tasks", options.region_tasks, "in a small region")
      ->check(CLI::Range(1U, 1'000'000U));
  CLI11_PARSE(app, argc, argv);
  return run(app.get_subcommands().front()->get_name(), options);
}
