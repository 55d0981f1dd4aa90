// SPDX-License-Identifier: Apache-2.0
#include "harness/program.hpp"

#include <fmt/core.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "harness/core_clock.hpp"
#include "harness/timed_runs.hpp"

namespace myr::bench {

std::vector<Object*> Runtime::make_objects(std::size_t count) {
  memory_ = std::vector<Object>(count);
  std::vector<Object*> objects(count);
  for (std::size_t i = 0; i < count; ++i) objects[i] = &memory_[i];
  return objects;
}

void Runtime::free_objects() { memory_ = {}; }

namespace {

constexpr unsigned kDependences[] = {0, 1, 3, 15};
constexpr std::size_t kTasks = 50'000;
constexpr std::size_t kTasksOfManyDependences = 10'000;
constexpr unsigned kFib = 20;

constexpr RunLimits kLimits{.runs_max = 7, .ns_max = 300'000'000};

// Tasks between two waits when only spawning is timed. No more than every runtime queues without
// running tasks inside the spawn call: libgomp's limit is 64 a thread.
constexpr std::size_t kSpawnBatch = 64;

// Tasks of a step that repeats.
constexpr std::size_t kStep = 1'000;

struct Case {
  Bench bench;
  unsigned deps;
};

struct Sample {
  std::size_t runs;  // timed or not
  double ns_per_task;
  double core_ghz;
  bool valid;
};

const char* name_of(Bench bench) {
  switch (bench) {
    case Bench::TaskFree:
      return "task_free";
    case Bench::TaskChain:
      return "task_chain";
    case Bench::ReplayedChain:
      return "replayed_chain";
    case Bench::Spawn:
      return "spawn";
    case Bench::Fib:
      return "fib";
    case Bench::Loop:
      return "loop";
  }
  return "";
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Bench bench :
       {Bench::TaskFree, Bench::TaskChain, Bench::ReplayedChain, Bench::Spawn}) {
    for (const unsigned deps : kDependences) cases.push_back({bench, deps});
  }
  cases.push_back({Bench::Fib, 0});
  cases.push_back({Bench::Loop, 0});
  return cases;
}

std::int64_t time_whole_life(Runtime& runtime, const Pattern& pattern) {
  const std::int64_t start = now_ns();
  runtime.spawn(pattern, 0, pattern.tasks);
  runtime.wait();
  return now_ns() - start;
}

std::int64_t time_spawn_calls(Runtime& runtime, const Pattern& pattern) {
  std::int64_t elapsed_ns = 0;
  for (std::size_t first = 0; first < pattern.tasks; first += kSpawnBatch) {
    const std::size_t last = std::min(first + kSpawnBatch, pattern.tasks);
    const std::int64_t start = now_ns();
    runtime.spawn(pattern, first, last);
    elapsed_ns += now_ns() - start;
    runtime.wait();
  }
  return elapsed_ns;
}

std::int64_t time_steps(Runtime& runtime, const Pattern& pattern) {
  const std::int64_t start = now_ns();
  for (std::size_t first = 0; first < pattern.tasks; first += kStep) {
    const std::size_t last = std::min(first + kStep, pattern.tasks);
    runtime.step([&] { runtime.spawn(pattern, first, last); });
  }
  runtime.wait();
  return now_ns() - start;
}

std::int64_t time_tasks(Runtime& runtime, Bench bench, const Pattern& pattern) {
  if (bench == Bench::Spawn) return time_spawn_calls(runtime, pattern);
  if (bench == Bench::ReplayedChain) return time_steps(runtime, pattern);
  return time_whole_life(runtime, pattern);
}

// `run` returns how long it took.
template <class Run>
Sample measure_here(std::size_t tasks, const Run& run) {
  const double ghz_before = core_ghz();
  const TimedRuns timed = time_runs(kLimits, run);
  return {.runs = timed.count,
          .ns_per_task = timed.median_ns / static_cast<double>(tasks),
          .core_ghz = (ghz_before + core_ghz()) / 2,
          .valid = true};
}

template <class Run>
Sample measure(Runtime& runtime, std::size_t tasks, const Run& run) {
  Sample sample{};
  runtime.as_producer([&] { sample = measure_here(tasks, run); });
  return sample;
}

Sample measure_pattern(Runtime& runtime, Bench bench, Pattern pattern) {
  const std::size_t users = pattern.shares_objects() ? 1 : pattern.tasks;
  pattern.objects = runtime.make_objects(users * pattern.objects_per_task());
  for (Object* object : pattern.objects) object->value = 0;
  Sample sample =
      measure(runtime, pattern.tasks, [&] { return time_tasks(runtime, bench, pattern); });
  const std::uint64_t increments = sample.runs * (pattern.shares_objects() ? pattern.tasks : 1);
  sample.valid = true;
  for (std::size_t user = 0; user < users; ++user) {
    sample.valid = sample.valid && pattern.of(user)[0]->value == increments;
  }
  runtime.free_objects();
  return sample;
}

struct FibTree {
  std::uint64_t value;
  std::size_t calls;
};

FibTree fib_tree(unsigned n) {
  FibTree previous{0, 1};
  FibTree current{1, 1};
  for (unsigned i = 0; i < n; ++i) {
    const FibTree next{previous.value + current.value, previous.calls + current.calls + 1};
    previous = current;
    current = next;
  }
  return previous;
}

Sample measure_fib(Runtime& runtime, const FibTree& tree, unsigned n) {
  bool valid = true;
  Sample sample = measure(runtime, tree.calls - 1, [&] {
    const std::int64_t start = now_ns();
    valid = runtime.fib(n) == tree.value && valid;
    return now_ns() - start;
  });
  sample.valid = valid;
  return sample;
}

Sample measure_loops(Runtime& runtime, std::size_t count) {
  return measure_here(count, [&] {
    const std::int64_t start = now_ns();
    runtime.loops(count);
    return now_ns() - start;
  });
}

std::size_t tasks_of(const Case& one, const Options& options, const Profile& profile) {
  if (options.tasks != 0) return options.tasks;
  return std::min(one.deps > 3 ? kTasksOfManyDependences : kTasks, profile.tasks_max);
}

void print(const Case& one, const Profile& profile, const Options& options, std::size_t tasks,
           const Sample& sample) {
  fmt::print(
      "{{\"bench\": \"{}\", \"runtime\": \"{}\", \"threads\": {}, \"deps\": {}, \"tasks\": {}, "
      "\"ns_per_task\": {:.2f}, \"cycles_per_task\": {:.1f}, \"core_ghz\": {:.3f}}}\n",
      name_of(one.bench), profile.name, options.threads, one.deps, tasks, sample.ns_per_task,
      sample.ns_per_task * sample.core_ghz, sample.core_ghz);
  std::fflush(stdout);
}

// Returns whether every task ran, in an allowed order.
bool run_case(const Case& one, const Options& options, const Profile& profile, Runtime& runtime) {
  std::size_t tasks = tasks_of(one, options, profile);
  Sample sample;
  if (one.bench == Bench::Fib) {
    const FibTree tree = fib_tree(kFib);
    tasks = tree.calls - 1;
    sample = measure_fib(runtime, tree, kFib);
  } else if (one.bench == Bench::Loop) {
    sample = measure_loops(runtime, tasks);
  } else {
    const bool chained = one.bench == Bench::TaskChain || one.bench == Bench::ReplayedChain;
    sample = measure_pattern(runtime, one.bench, {chained, one.deps, tasks, {}});
  }
  if (!sample.valid) {
    fmt::print(stderr, "{}: {}/{}: tasks were lost or ran out of order\n", profile.name,
               name_of(one.bench), one.deps);
    return false;
  }
  print(one, profile, options, tasks, sample);
  return true;
}

}  // namespace

int run_program(const Options& options, const Profile& profile, Runtime& runtime) {
  bool all_valid = true;
  for (const Case& one : all_cases()) {
    const std::string name = fmt::format("{}/{}", name_of(one.bench), one.deps);
    if (fnmatch(options.only.c_str(), name.c_str(), 0) != 0) continue;
    if (!runtime.can_run(one.bench)) continue;
    all_valid = run_case(one, options, profile, runtime) && all_valid;
  }
  return all_valid ? 0 : 1;
}

}  // namespace myr::bench
