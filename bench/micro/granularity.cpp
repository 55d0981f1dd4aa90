// SPDX-License-Identifier: Apache-2.0
//
// Figures 7b and 12a of paper 1, as the simulated chip predicts them: main spawns kTasks tasks,
// each with an object of its own, that take a given number of cycles; one scheduler, 1 to 512
// workers.
// Prints the speed-up against one worker, by task size and workers, and how many are enough for
// nearly the best.
//
//   myr_bench_granularity [--chip formic-520|formic-512] [--spawns-ahead N]
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "cluster/sim/script.hpp"

namespace {

using myr::cluster::sim::Script;
using myr::cluster::sim::ScriptRun;
using myr::cluster::sim::Settings;
using myr::transport::sim::Chip;
using myr::transport::sim::Cycles;
namespace step = myr::cluster::sim::step;

constexpr std::uint32_t kTasks = 512;
constexpr double kEnough = 0.95;  // of the best speed-up

Cycles run_tasks(const Chip& chip, Settings settings, Cycles task_cycles, unsigned workers) {
  Script script;
  script.tasks.resize(1 + kTasks);
  script.objects = kTasks;
  script.tasks[0].steps = {step::Allocate{.first = 0, .count = kTasks}};
  for (std::uint32_t task = 1; task <= kTasks; ++task) {
    script.tasks[0].steps.emplace_back(step::Spawn{.task = task});
    script.tasks[task] = {.accesses = {{.number = task - 1}},
                          .steps = {step::Work{.cycles = task_cycles}}};
  }
  const auto topology = myr::sched::Topology::of_fan_outs({workers});
  ScriptRun run(script, topology, chip, settings);
  if (!run.run()) throw std::runtime_error(run.machine().misuse());
  return run.end();
}

}  // namespace

int main(int argc, char** argv) {
  std::string name = "formic-520";
  Settings settings{.spawns_ahead = 1};
  CLI::App app("Predicts what size tasks must have on a simulated chip with one scheduler.");
  app.add_option("--chip", name, "the simulated chip")->capture_default_str();
  app.add_option("--spawns-ahead", settings.spawns_ahead,
                 "spawns of a worker not yet handled; the published runtime has one")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto chip = Chip::named(name);
  if (!chip) {
    fmt::print(stderr, "granularity: there is no chip {}\n", name);
    return 1;
  }

  // A scheduler on a weak core takes the place of a worker.
  const unsigned workers_max = chip->cores().strong == 0 ? 511 : 512;
  std::vector<unsigned> worker_counts;
  for (unsigned workers = 1; workers < workers_max; workers *= 2) worker_counts.push_back(workers);
  worker_counts.push_back(workers_max);
  fmt::print("{:>10}", "cycles");
  for (const unsigned workers : worker_counts) fmt::print("{:>7}", workers);
  fmt::print("{:>8}\n", "enough");
  for (Cycles task_cycles = 8'192; task_cycles <= 8'388'608; task_cycles *= 4) {
    fmt::print("{:>10}", task_cycles);
    const auto one = static_cast<double>(run_tasks(*chip, settings, task_cycles, 1));
    std::vector<double> speed_ups;
    for (const unsigned workers : worker_counts) {
      const auto cycles = run_tasks(*chip, settings, task_cycles, workers);
      speed_ups.push_back(one / static_cast<double>(cycles));
      fmt::print("{:>7.1f}", speed_ups.back());
    }
    const double enough = kEnough * *std::max_element(speed_ups.begin(), speed_ups.end());
    const auto first = std::find_if(speed_ups.begin(), speed_ups.end(),
                                    [&](double speed_up) { return speed_up >= enough; });
    fmt::print("{:>8}\n", worker_counts[static_cast<std::size_t>(first - speed_ups.begin())]);
  }
  return 0;
}
