// SPDX-License-Identifier: Apache-2.0
//
// The overhead benchmark without a runtime: the cases, their timing, the check that every task ran,
// and the output. Each program of bench/overhead supplies a Runtime and calls run_program(); so all
// runtimes are measured by the same code. What each case means is in bench/overhead/README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "harness/options.hpp"

namespace myr::bench {

enum class Bench { TaskFree, TaskChain, ReplayedChain, Spawn, Fib, Loop };

inline constexpr std::size_t kIterations = 1'000;  // of a loop; they do nothing
// What stands for an iteration: the loop is not left out, and nothing is computed.
inline void iterate(std::size_t i) { asm volatile("" ::"r"(i)); }

// What tasks depend on: a cache line of its own.
struct alignas(64) Object {
  std::uint64_t value = 0;
};

// The tasks of one case. Task i increments the value of of(i)[0], and has inout dependences on the
// objects of(i)[0..deps).
struct Pattern {
  bool chained;   // all tasks use the same objects; else each has its own
  unsigned deps;  // 0, 1, 3 or 15
  std::size_t tasks;
  std::vector<Object*> objects;

  // Without dependences, too, each task has an object to increment.
  [[nodiscard]] bool shares_objects() const noexcept { return chained && deps > 0; }
  [[nodiscard]] std::size_t objects_per_task() const noexcept { return deps > 0 ? deps : 1; }
  [[nodiscard]] Object* const* of(std::size_t task) const noexcept {
    return objects.data() + (shares_objects() ? 0 : task * objects_per_task());
  }
};

// One task runtime. Calls come from the main thread; spawn(), wait() and fib() only inside
// as_producer(), loops() only outside.
class Runtime {
 public:
  Runtime() = default;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  virtual ~Runtime() = default;

  // Allocates objects that tasks may depend on, and gives them back.
  [[nodiscard]] virtual std::vector<Object*> make_objects(std::size_t count);
  virtual void free_objects();

  // Runs `work` on a thread of the runtime, which may spawn.
  virtual void as_producer(const std::function<void()>& work) { work(); }

  // Spawns the tasks [first, last) of the pattern, in order.
  virtual void spawn(const Pattern& pattern, std::size_t first, std::size_t last) = 0;
  // Waits for all tasks spawned so far.
  virtual void wait() = 0;

  // Does with the spawns of `spawn_all` what suits a step of the program that repeats.
  virtual void step(const std::function<void()>& spawn_all) { spawn_all(); }

  [[nodiscard]] virtual bool can_run(Bench bench) const {
    return bench != Bench::Loop && bench != Bench::ReplayedChain;
  }
  // Fibonacci number n with two tasks for every call with n > 1, and a wait for them in that call.
  [[nodiscard]] virtual std::uint64_t fib(unsigned n) = 0;
  // Parallel loops of kIterations, each of which begins when the one before has ended.
  virtual void loops(std::size_t /*count*/) {}

 private:
  std::vector<Object> memory_;
};

// What differs in the run of one runtime.
struct Profile {
  const char* name;
  std::size_t tasks_max = 100'000;  // for runtimes whose tasks or objects need kilobytes each
};

// Runs the cases, prints one line of JSON each. Returns the program's exit status: not 0 if a task
// was lost or ran out of order.
[[nodiscard]] int run_program(const Options& options, const Profile& profile, Runtime& runtime);

}  // namespace myr::bench
