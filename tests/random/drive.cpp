// SPDX-License-Identifier: Apache-2.0
//
// Runs this same program once for each machine, since a process has one machine for life; a crash
// or a hang is then a result like any other. After a failure it looks for a smaller failing
// program.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <vector>

#include "options.hpp"

namespace myr::random_test {

namespace {

constexpr unsigned kSeedsPerShrink = 300;

// Sizes to try after a failure, smallest first.
constexpr std::array<Limits, 5> kSmaller{{
    {.task_max = 5, .task_depth_max = 1, .region_depth_max = 2, .step_max = 4},
    {.task_max = 9, .task_depth_max = 2, .region_depth_max = 3, .step_max = 5},
    {.task_max = 18, .task_depth_max = 3, .region_depth_max = 4, .step_max = 6},
    {.task_max = 40, .task_depth_max = 4, .region_depth_max = 6, .step_max = 8},
    {.task_max = 90, .task_depth_max = 5, .region_depth_max = 6, .step_max = 10},
}};

std::string own_path() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "myr_random";
}

// `machine`: "chaos:NAME" is the machine of that name in random order, and the seed is the first
// program's.
std::string command_line(const Options& options, std::string machine) {
  constexpr std::string_view kChaos = "chaos:";
  std::ostringstream text;
  if (machine.starts_with(kChaos)) {
    machine.erase(0, kChaos.size());
    text << "MYR_CHAOS=" << options.seed << " ";
  }
  text << "MYR_ON=" << machine << " " << own_path() << " --seed " << options.seed << " --count "
       << options.count << " --tasks " << options.limits.task_max << " --depth "
       << options.limits.task_depth_max << " --region-depth " << options.limits.region_depth_max
       << " --steps " << options.limits.step_max << " --groups " << options.limits.group_percent;
  return text.str();
}

struct Verdict {
  bool passed;
  std::uint64_t last_seed;  // the program that was begun last
};

Verdict run_child(const std::string& command) {
  std::FILE* const child = popen(command.c_str(), "r");
  if (child == nullptr) {
    std::perror("myr_random: cannot start a process");
    std::exit(1);
  }
  Verdict verdict{false, 0};
  std::array<char, 256> line{};
  while (std::fgets(line.data(), line.size(), child) != nullptr) {
    unsigned long long seed = 0;
    if (std::sscanf(line.data(), "seed %llu", &seed) == 1) verdict.last_seed = seed;
  }
  verdict.passed = pclose(child) == 0;
  return verdict;
}

// Prints a replay of the smallest failing program found.
void report(const Options& options, const std::string& machine, std::uint64_t failing_seed) {
  Options replay = options;
  replay.seed = failing_seed;
  for (const Limits& limits : kSmaller) {
    Options smaller = replay;
    smaller.limits = limits;
    smaller.count = kSeedsPerShrink;
    const Verdict verdict = run_child(command_line(smaller, machine) + " 2>/dev/null");
    if (verdict.passed) continue;
    replay = smaller;
    replay.seed = verdict.last_seed;
    break;
  }
  replay.count = 1;
  std::printf("%s: FAILED. Replay:\n  %s --verbose\n", machine.c_str(),
              command_line(replay, machine).c_str());
}

}  // namespace

int drive(const Options& options) {
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(options.seed),
              static_cast<unsigned long long>(options.seed + options.count - 1));
  std::istringstream machines(options.machines);
  int status = 0;
  for (std::string machine; std::getline(machines, machine, ',');) {
    std::fflush(stdout);
    const Verdict verdict = run_child(command_line(options, machine));
    if (verdict.passed) {
      std::printf("%s: %u programs as in the serial run\n", machine.c_str(), options.count);
    } else {
      report(options, machine, verdict.last_seed);
      status = 1;
    }
  }
  return status;
}

}  // namespace myr::random_test
