// SPDX-License-Identifier: Apache-2.0
//
// Deterministic simulation: random programs on the product's own schedulers and workers, on trees
// of one to five levels, with messages delayed in every way that channels in order allow. Each must
// end with the serial result, and no task may touch data that its worker does not have. Each runs
// on cores that run one task at a time, then on processes of one to three threads, whose data goes
// the product's way: see Process.
//
//   myr_dst [--seed S] [--count N] [--tasks T] [--depth D] [--region-depth D] [--steps P]
//           [--verbose]
//
// A failure prints the smallest program found that fails, and how to repeat it.
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <string>

#include "base/sanitized.hpp"
#include "random/program.hpp"
#include "run_on_agents.hpp"

namespace myr::sim_test {

namespace {

using random_test::Limits;

constexpr unsigned kDefaultCount = base::kIsSanitized ? 200 : 2'000;
constexpr unsigned kSeedsPerShrink = 2'000;

constexpr std::array<Limits, 4> kSmaller{{
    {.task_max = 4, .task_depth_max = 2, .region_depth_max = 2, .step_max = 4},
    {.task_max = 8, .task_depth_max = 2, .region_depth_max = 3, .step_max = 5},
    {.task_max = 18, .task_depth_max = 3, .region_depth_max = 4, .step_max = 6},
    {.task_max = 40, .task_depth_max = 4, .region_depth_max = 6, .step_max = 8},
}};

struct Options {
  std::uint64_t seed = 0;
  unsigned count = kDefaultCount;
  Limits limits{.task_max = 60};
  bool verbose = false;
};

// One to five levels of schedulers; up to 500 agents, most often few.
sched::Topology make_topology(std::uint64_t seed) {
  std::mt19937_64 random(seed * 2 + 1);
  std::vector<unsigned> fan_outs;
  unsigned agents = 1;
  for (std::size_t levels = 1 + random() % 5; levels > 0; --levels) {
    const unsigned fan_out = 1 + static_cast<unsigned>(random() % (random() % 8 == 0 ? 8 : 3));
    if (agents * fan_out > 250) break;
    agents *= fan_out;
    fan_outs.push_back(fan_out);
  }
  return sched::Topology::of_fan_outs(fan_outs);
}

// Few processes, mostly, so that each has data again that it had before.
sched::Topology make_job(std::uint64_t seed) {
  const auto workers = 2 + static_cast<unsigned>(seed / 8 % 3);
  if (seed % 8 == 0) return make_topology(seed);
  if (seed % 8 < 3) return sched::Topology::of_fan_outs({2, workers});
  return sched::Topology::of_fan_outs({workers});
}

// Workers have whole objects or not. Some programs use much memory that is in no region.
random_test::Program make_program(std::uint64_t seed, Limits limits) {
  if (seed % 4 == 0) limits.global_max = 30;
  return random_test::generate(seed, limits);
}

// The totals of all programs.
struct Totals {
  std::uint64_t messages = 0;
  std::uint64_t transfers = 0;
  PageTrade pages;
  Rarities rarities;
};

// The one that is running, for on_abort().
std::uint64_t running_seed = 0;

// An assertion of the product has failed. Which seed it was is all that can be said.
void on_abort(int /*signal*/) {
  std::fprintf(stderr, "seed %llu: aborts\n", static_cast<unsigned long long>(running_seed));
}

void add(const AgentsRun& run, Totals& totals) {
  totals.messages += run.messages;
  totals.transfers += run.transfers;
  totals.pages.granted += run.trade.granted;
  totals.pages.returned += run.trade.returned;
  totals.pages.demands += run.trade.demands;
  totals.pages.refusals += run.trade.refusals;
  totals.rarities.unmanaged_uses += run.rarities.unmanaged_uses;
  totals.rarities.parts += run.rarities.parts;
  totals.rarities.locals_gone += run.rarities.locals_gone;
  totals.rarities.reallocations += run.rarities.reallocations;
  totals.rarities.given_back += run.rarities.given_back;
}

// What went wrong; empty: nothing.
std::string run_seed(std::uint64_t seed, const Limits& limits, Totals& totals) {
  running_seed = seed;
  const random_test::Program program = make_program(seed, limits);
  const random_test::Outcome serial = random_test::run_serially(program);
  for (const unsigned threads : {0U, 1 + static_cast<unsigned>(seed / 5 % 3)}) {
    const sched::Topology topology = threads == 0 ? make_topology(seed) : make_job(seed);
    const AgentsRun run = run_on_agents(program, topology, seed, {.threads = threads});
    add(run, totals);
    const std::string where =
        threads == 0 ? "cores: " : "processes of " + std::to_string(threads) + " threads: ";
    if (!run.failure.empty()) return where + run.failure;
    if (run.outcome != serial) return where + "another result than serially";
  }
  return "";
}

std::string replay(std::uint64_t seed, const Limits& limits) {
  return "myr_dst --seed " + std::to_string(seed) + " --count 1 --tasks " +
         std::to_string(limits.task_max) + " --depth " + std::to_string(limits.task_depth_max) +
         " --region-depth " + std::to_string(limits.region_depth_max) + " --steps " +
         std::to_string(limits.step_max) + " --verbose";
}

void report(std::uint64_t seed, const Limits& limits, const std::string& failure) {
  std::printf("seed %llu: %s\n  %s\n", static_cast<unsigned long long>(seed), failure.c_str(),
              replay(seed, limits).c_str());
  std::fflush(stdout);
  Totals totals;
  for (const Limits& smaller : kSmaller) {
    if (smaller.task_max >= limits.task_max) return;
    for (std::uint64_t other = seed; other < seed + kSeedsPerShrink; ++other) {
      const std::string same = run_seed(other, smaller, totals);
      if (same.empty()) continue;
      std::printf("a smaller one: seed %llu: %s\n  %s\n", static_cast<unsigned long long>(other),
                  same.c_str(), replay(other, smaller).c_str());
      return;
    }
  }
}

bool parse(Options& options, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--verbose") {
      options.verbose = true;
      continue;
    }
    if (++i == argc) return false;
    const std::uint64_t number = std::strtoull(argv[i], nullptr, 10);
    const auto small = static_cast<unsigned>(number);
    if (name == "--seed")
      options.seed = number;
    else if (name == "--count")
      options.count = small;
    else if (name == "--tasks")
      options.limits.task_max = small;
    else if (name == "--depth")
      options.limits.task_depth_max = small;
    else if (name == "--region-depth")
      options.limits.region_depth_max = small;
    else if (name == "--steps")
      options.limits.step_max = small;
    else
      return false;
  }
  return true;
}

void print(const Options& options, const Totals& totals) {
  const PageTrade& pages = totals.pages;
  const Rarities& rarities = totals.rarities;
  std::cout << "seeds " << options.seed << " to " << options.seed + options.count - 1 << ": "
            << options.count << " programs as serially, " << totals.messages << " messages, "
            << totals.transfers << " transfers\n"
            << "pages: " << pages.granted << " granted, " << pages.returned << " returned, "
            << pages.demands << " demands; memory refused " << pages.refusals << " times\n"
            << "uses of unmanaged memory: " << rarities.unmanaged_uses
            << "; of parts of objects: " << rarities.parts
            << "; locals gone: " << rarities.locals_gone
            << "; reallocations: " << rarities.reallocations
            << "; tasks given back: " << rarities.given_back << "\n";
}

int run_all(const Options& options) {
  Totals totals;
  for (std::uint64_t seed = options.seed; seed < options.seed + options.count; ++seed) {
    if (options.verbose) random_test::dump(make_program(seed, options.limits), std::cout);
    const std::string failure = run_seed(seed, options.limits, totals);
    if (failure.empty()) continue;
    report(seed, options.limits, failure);
    return 1;
  }
  print(options, totals);
  return 0;
}

}  // namespace

}  // namespace myr::sim_test

int main(int argc, char** argv) {
  myr::sim_test::Options options;
  options.seed = std::random_device{}();
  if (!myr::sim_test::parse(options, argc, argv)) {
    std::fprintf(stderr, "myr_dst: options: see the head of tests/sim/main.cpp\n");
    return 2;
  }
  std::signal(SIGABRT, myr::sim_test::on_abort);
  return myr::sim_test::run_all(options);
}
