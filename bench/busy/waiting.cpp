// SPDX-License-Identifier: Apache-2.0
#include "busy/waiting.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "common/command_line.hpp"
#include "harness/core_clock.hpp"

namespace myr::bench {

namespace {

constexpr unsigned kThreadsMax = 1024;
constexpr unsigned kPausesMs[] = {1, 300};
constexpr unsigned kCalls = 9;
constexpr unsigned kIdleMs = 1000;

void pause_ms(unsigned ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double median_wake_us(Team& team, unsigned ms) {
  std::vector<std::int64_t> found;
  for (unsigned call = 0; call < kCalls; ++call) {
    pause_ms(ms);
    const std::int64_t asked = now_ns();
    found.push_back(team.call() - asked);
  }
  std::nth_element(found.begin(), found.begin() + kCalls / 2, found.end());
  return 1e-3 * static_cast<double>(found[kCalls / 2]);
}

}  // namespace

unsigned parse_threads(int argc, char** argv) {
  unsigned threads = 2;
  kernels::CommandLine line("What threads cost that wait, and how soon they begin");
  line.add_count("--threads", &threads, "threads", kThreadsMax);
  line.parse(argc, argv);
  return threads;
}

int run_waiting(const char* runtime, unsigned threads, Team& team) {
  (void)team.call();  // starts the threads
  for (const unsigned ms : kPausesMs) {
    fmt::print(
        "{{\"bench\":\"wake\",\"runtime\":\"{}\",\"threads\":{},\"pause_ms\":{},\"us\":{}}}\n",
        runtime, threads, ms, median_wake_us(team, ms));
  }
  (void)team.call();
  const double before = processor_seconds();
  pause_ms(kIdleMs);
  const double spent = (processor_seconds() - before) * 1000 / kIdleMs;
  fmt::print("{{\"bench\":\"idle\",\"runtime\":\"{}\",\"threads\":{},\"processor_s\":{}}}\n",
             runtime, threads, spent);
  return 0;
}

}  // namespace myr::bench
