// SPDX-License-Identifier: Apache-2.0
//
// What the conformance tests share. They run unchanged on every machine; a test that needs two
// tasks to run at the same time asks is_parallel() first.
#pragma once

#include <doctest/doctest.h>
#include <myr/sim.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
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

// Are there agents, so that a task stays with the worker to which it was given, main's among them?
[[nodiscard]] inline bool is_of_agents() {
  return is_machine("tree") || is_machine("sim") || is_machine("mpi") || is_machine("master");
}

// May a task change memory that it has not declared, such as a counter of the test, and everybody
// sees it? And does an exception of any type cross? Not between processes.
[[nodiscard]] inline bool shares_memory() { return !is_machine("mpi"); }

// Is the order of tasks a matter of chance (MYR_CHAOS), and time may pass between any two of them?
[[nodiscard]] inline bool is_chaotic() { return std::getenv("MYR_CHAOS") != nullptr; }

// Do tasks run beside main, and two that are ready beside each other? On a simulated chip they do
// so in virtual time only; and chance may give both to one agent.
[[nodiscard]] inline bool is_parallel() {
  return myr_worker_count() > 1 && !is_machine("sim") && shares_memory() &&
         !(is_of_agents() && is_chaotic());
}

// Do tasks meet that need not wait for each other but for their order? Other machines run those in
// spawn order.
[[nodiscard]] inline bool uses_any_order() {
  return is_machine("smp") && is_parallel() && !is_chaotic();
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

// Takes so many steps of a few cycles.
inline void take_time(int steps) {
  for (int i = 0; i < steps; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
}

// Returns once condition() holds, which another task brings about. If that never runs, the process
// ends after a minute.
template <class Condition>
void await(Condition condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    std::this_thread::yield();
    if (std::chrono::steady_clock::now() < limit) continue;
    std::fputs("a task has waited a minute for another one to run beside it\n", stderr);
    std::abort();
  }
}

}  // namespace myr::conformance
