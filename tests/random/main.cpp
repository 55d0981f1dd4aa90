// SPDX-License-Identifier: Apache-2.0
//
// Random programs against a serial run of them.
//
//   myr_random [--seed S] [--count N] [--tasks T] [--depth D] [--region-depth D] [--steps P]
//              [--groups PERCENT] [--on MACHINE,MACHINE,...] [--verbose] [--break] [--lost-orders]
//
// Without MYR_ON in the environment it runs itself on each machine of the list (default: see
// options.hpp), and prints how to replay what failed. With MYR_ON it runs the programs;
// --verbose dumps them; --break makes each of them wrong, for `myr check`. --lost-orders runs none,
// but prints which orders are lost by that.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "options.hpp"

namespace myr::random_test {

namespace {

constexpr unsigned kDefaultCount = 250;  // on each machine; ./dev random has more
constexpr unsigned kHangSeconds = 60;    // for one program; a usual one takes milliseconds

std::uint64_t seed_from_clock() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(now / std::chrono::milliseconds(1));
}

bool set(Options& options, const std::string& name, const char* text) {
  const auto number = static_cast<unsigned>(std::strtoul(text, nullptr, 10));
  if (name == "--seed") {
    options.seed = std::strtoull(text, nullptr, 10);
  } else if (name == "--count") {
    options.count = number;
  } else if (name == "--tasks") {
    options.limits.task_max = std::max(1u, number);
  } else if (name == "--depth") {
    options.limits.task_depth_max = number;
  } else if (name == "--region-depth") {
    options.limits.region_depth_max = number;
  } else if (name == "--steps") {
    options.limits.step_max = std::max(1u, number);
  } else if (name == "--groups") {
    options.limits.group_percent = number;
  } else if (name == "--on") {
    options.machines = text;
  } else {
    return false;
  }
  return true;
}

bool parse(Options& options, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--verbose") {
      options.verbose = true;
    } else if (name == "--break") {
      options.breaks = true;
    } else if (name == "--lost-orders") {
      options.lost_orders = true;
    } else if (i + 1 == argc || !set(options, name, argv[++i])) {
      return false;
    }
  }
  return true;
}

char hang_message[64];  // written before the alarm is set

void on_alarm(int) {
  const ssize_t written = write(STDERR_FILENO, hang_message, std::strlen(hang_message));
  _exit(written > 0 ? 3 : 4);
}

// Names what differs first, in serial order: that task read something too early or too late.
void explain(const Program& program, const Outcome& expected, const Outcome& found) {
  for (unsigned i = 0; i < program.tasks.size(); ++i) {
    if (expected.task_hash[i] == found.task_hash[i]) continue;
    std::fprintf(stderr, "T%u (of %zu) is the first task that read other data than serially\n", i,
                 program.tasks.size());
    break;
  }
  for (unsigned i = 0; i < program.objects.size(); ++i) {
    if (expected.content[i] == found.content[i]) continue;
    std::fprintf(stderr, "o%u is the first object that ends with another content\n", i);
    break;
  }
}

bool run_program(std::uint64_t seed, const Options& options) {
  const Program right = generate(seed, options.limits);
  Program program = right;
  if (options.breaks) break_one_access(program);
  const auto number = static_cast<unsigned long long>(seed);
  if (options.verbose) dump(program, std::cout);
  std::cout << "seed " << seed << std::endl;  // the driver needs it even if we crash
  if (options.lost_orders) {
    print_lost_orders(right, program, std::cout);
    return true;
  }
  std::snprintf(hang_message, sizeof hang_message, "failing seed %llu: hangs\n", number);
  const Outcome expected = run_serially(program);
  alarm(kHangSeconds);
  const Outcome found = run_with_myrmidon(program);
  if (found == expected) return true;
  std::fprintf(stderr, "failing seed %llu: another result than serially\n", number);
  explain(program, expected, found);
  return false;
}

int run_programs(const Options& options) {
  std::signal(SIGALRM, on_alarm);
  for (unsigned i = 0; i < options.count; ++i) {
    if (!run_program(options.seed + i, options)) return 1;
  }
  return 0;
}

}  // namespace

}  // namespace myr::random_test

int main(int argc, char** argv) {
  using namespace myr::random_test;
  Options options;
  options.seed = seed_from_clock();
  options.count = kDefaultCount;
  if (!parse(options, argc, argv)) {
    std::fprintf(stderr, "myr_random: options: see the head of tests/random/main.cpp\n");
    return 2;
  }
  const bool runs_here = options.lost_orders || std::getenv("MYR_ON") != nullptr;
  return runs_here ? run_programs(options) : drive(options);
}
