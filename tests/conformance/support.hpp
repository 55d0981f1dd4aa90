// SPDX-License-Identifier: Apache-2.0
//
// What the conformance tests share. They run unchanged on every machine; a test that needs two
// tasks to run at the same time asks is_parallel() first.
#pragma once

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <myr/myr.hpp>
#include <string_view>
#include <thread>

namespace myr::conformance {

// Is it the machine, or one of the machines, of that name?
[[nodiscard]] inline bool is_machine(std::string_view name) {
  const char* on = std::getenv("MYR_ON");
  return std::string_view(on == nullptr ? "smp" : on).starts_with(name);
}

// Do tasks run beside main? On a simulated chip they do so in virtual time only.
[[nodiscard]] inline bool is_parallel() { return myr_worker_count() > 1 && !is_machine("sim"); }

// Are there agents, so that a task stays with the worker to which it was given, main's among them?
[[nodiscard]] inline bool is_of_agents() { return is_machine("tree") || is_machine("sim"); }

// Takes a while, so that a task that starts too early is likely to read old data.
inline void linger(unsigned rounds = 2000) {
  for (unsigned i = 0; i < rounds; ++i) asm volatile("" ::: "memory");
}

// Where tasks are spawned that wait for each other. A spawner may run its tasks itself, inside
// spawn(): such a task must not wait for one that is spawned later.
class Spawning {
 public:
  void begin() { thread_ = std::this_thread::get_id(); }
  void end() { ended_ = true; }
  [[nodiscard]] bool is_below_us() const {
    return !ended_ && thread_ == std::this_thread::get_id();
  }

 private:
  std::thread::id thread_;
  std::atomic<bool> ended_{false};
};

// Returns once condition() holds, which another task brings about. If that never runs, the test
// hangs, and ctest ends it.
template <class Condition>
void await(Condition condition) {
  while (!condition()) std::this_thread::yield();
}

}  // namespace myr::conformance
