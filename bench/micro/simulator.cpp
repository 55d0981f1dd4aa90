// SPDX-License-Identifier: Apache-2.0
//
// How fast simulated chips run here: events in a second of processor time. There is one thread.
//
//   event_queue   kPending events, each of which puts in another at a random delay
//   agents_S+W    the product's schedulers and workers on a chip with so many cores: coarse tasks,
//                 one for each leaf scheduler, spawn fine ones. An event is a message that an agent
//                 handles, a transfer that ends, or a task that goes on.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/command_line.hpp"
#include "micro/script.hpp"
#include "transport/sim/event_queue.hpp"

namespace {

using myr::bench::Script;
using myr::bench::ScriptRun;
using myr::bench::TaskPlan;
using myr::sched::Topology;
using myr::transport::sim::Chip;
namespace step = myr::bench::step;

constexpr std::size_t kPending = 2'000;  // two for each of a thousand agents
constexpr std::size_t kQueueEvents = 4'000'000;
constexpr std::uint32_t kFineTasks = 100'000;  // of all coarse ones together

struct Timed {
  std::uint64_t events;
  std::clock_t ticks;
  [[nodiscard]] double millions_a_second() const {
    return static_cast<double>(events) * 1e-6 * CLOCKS_PER_SEC / static_cast<double>(ticks);
  }
};

Timed time_queue() {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> delays(1 << 16);
  for (std::uint64_t& delay : delays) delay = random() & 0xffff;
  struct Payload {
    std::uint64_t item;
    std::uint32_t agent;
    std::uint32_t kind;
  };
  myr::transport::sim::EventQueue<Payload> queue;
  for (std::size_t i = 0; i < kPending; ++i) queue.push(delays[i], {});
  const std::clock_t start = std::clock();
  for (std::size_t i = 0; i < kQueueEvents; ++i) {
    const Payload payload = queue.pop();
    queue.push(queue.now() + delays[i % delays.size()], payload);
  }
  return {.events = kQueueEvents, .ticks = std::clock() - start};
}

struct Size {
  unsigned leaves;
  unsigned workers_per_leaf;
  [[nodiscard]] std::string name() const {
    return fmt::format("{}+{}", leaves + 1, leaves * workers_per_leaf);
  }
};

Script make_script(const Size& size) {
  const std::uint32_t fine = kFineTasks / size.leaves;
  const std::uint32_t objects = 2 * size.workers_per_leaf;
  Script script;
  script.tasks.resize(1 + size.leaves);
  script.regions = 1 + size.leaves;
  script.objects = size.leaves * objects;
  for (std::uint32_t leaf = 0; leaf < size.leaves; ++leaf) {
    const std::uint32_t region = 1 + leaf;
    std::vector<myr::bench::Step>& main = script.tasks[0].steps;
    main.emplace_back(step::NewRegion{.region = region});
    main.emplace_back(step::Allocate{.first = leaf * objects, .count = objects, .region = region});
    main.emplace_back(step::Spawn{.task = 1 + leaf});
    script.tasks[1 + leaf].accesses = {{.is_region = true, .number = region}};
    for (std::uint32_t i = 0; i < fine; ++i) {
      const auto task = static_cast<std::uint32_t>(script.tasks.size());
      script.tasks[1 + leaf].steps.emplace_back(step::Spawn{.task = task});
      script.tasks.push_back({.accesses = {{.number = leaf * objects + i % objects}},
                              .steps = {step::Work{.cycles = 100'000}}});
    }
  }
  return script;
}

Timed time_agents(const Size& size) {
  const Script script = make_script(size);
  const Topology topology = Topology::of_fan_outs({size.leaves, size.workers_per_leaf});
  const Chip chip =
      Chip::formic({.strong = size.leaves + 1, .weak = size.leaves * size.workers_per_leaf});
  ScriptRun run(script, topology, chip, {.spawns_ahead = 1});
  const std::clock_t start = std::clock();
  if (!run.run()) throw std::runtime_error(run.misuse());
  return {.events = run.machine().event_count(), .ticks = std::clock() - start};
}

template <class Measure>
void report(const std::string& name, unsigned runs, std::FILE* json, Measure&& measure) {
  std::vector<double> speeds;
  for (unsigned run = 0; run < runs; ++run) speeds.push_back(measure().millions_a_second());
  std::sort(speeds.begin(), speeds.end());
  const double median = speeds[speeds.size() / 2];
  fmt::print("{:<20}{:>8.2f} ({:.2f}..{:.2f})\n", name, median, speeds.front(), speeds.back());
  std::fflush(stdout);
  if (json == nullptr) return;
  fmt::print(json, "{{\"bench\": \"{}\", \"runtime\": \"myrmidon\", \"events_per_s\": {:.0f}}}\n",
             name, median * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  unsigned runs = 5;
  kernels::CommandLine line("Measures how fast simulated chips run.");
  line.add_count("--runs", &runs, "runs of each case", 1000);
  line.add_json("file for one JSON object a measurement");
  line.parse(argc, argv);
  std::FILE* json = line.json();

  fmt::print("million events a second: median (slowest..fastest) of {} runs\n", runs);
  report("event_queue", runs, json, time_queue);
  for (const Size size : {Size{7, 16}, Size{7, 73}, Size{127, 127}}) {
    report("agents_" + size.name(), runs, json, [&] { return time_agents(size); });
  }
  return 0;
}
