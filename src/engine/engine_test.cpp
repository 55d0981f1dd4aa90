// SPDX-License-Identifier: Apache-2.0
//
// Engines by themselves: they start and stop, several in one process one after the other, and count
// what they do.
#include "engine/engine.hpp"

#include <doctest/doctest.h>

#include "base/sanitized.hpp"
#include "graph/test_space.hpp"

using namespace myr;
using engine::Engine;
using engine::EngineOptions;
using engine::Worker;
using engine::WorkerStats;

namespace {

std::unique_ptr<Engine> start(const EngineOptions& options) {
  auto engine = Engine::create(graph::test_space(), options);
  if (!engine) FAIL(engine.error().text);
  return std::move(*engine);
}

// Spawns a child of the calling task that calls body(argument).
template <class Body>
void spawn(std::uintptr_t argument, Body body) {
  struct Closure {
    std::uintptr_t argument;
    Body body;
  };
  Worker& worker = *Worker::current();
  graph::Task* task = worker.draft(sizeof(Closure), 0);
  ::new (task->closure()) Closure{argument, body};
  task->site = nullptr;
  task->body = [](void* memory, const myr_access*) {
    auto* closure = static_cast<Closure*>(memory);
    closure->body(closure->argument);
  };
  worker.submit(task);
}

std::uint64_t sum(Engine& engine, sync::Tally WorkerStats::* value) {
  std::uint64_t total = 0;
  for (unsigned i = 0; i < engine.worker_count(); ++i) total += engine.worker(i).stats().*value;
  return total;
}

}  // namespace

TEST_CASE("engines start and stop, with and without work") {
  for (const unsigned workers : {1U, 2U, 3U, 64U, 2U}) {
    for (const int tasks : {0, 1, 1000}) {
      const auto engine = start({.worker_count = workers});
      CHECK(engine->worker_count() == workers);
      CHECK(Worker::current() == &engine->worker(0));
      sync::Atomic<int> ran{0};
      for (int i = 0; i < tasks; ++i) {
        spawn(reinterpret_cast<std::uintptr_t>(&ran), [](std::uintptr_t count) {
          reinterpret_cast<sync::Atomic<int>*>(count)->fetch_add(1, sync::relaxed);
        });
      }
      Worker::current()->wait_all();
      CHECK(ran.load(sync::relaxed) == tasks);
    }
    CHECK(Worker::current() == nullptr);
  }
}

// Soon after the start, workers beyond the processors are still awake, so main leaves its stack as
// soon as it has nothing to run. It has ended a grandchild then, which it has not counted off yet:
// of 64 tasks, it runs the last ones while it spawns them.
TEST_CASE("a wait that begins beside too many awake workers hears of grandchildren") {
  constexpr int kTasks = 32;
  for (int round = 0; round < 100; ++round) {
    const auto engine = start({.worker_count = 5});
    for (int i = 0; i < kTasks; ++i) spawn(0, [](std::uintptr_t) {});
    Worker::current()->wait_all();
    spawn(0, [](std::uintptr_t) { spawn(0, [](std::uintptr_t) {}); });
    for (int i = 1; i < kTasks; ++i) spawn(0, [](std::uintptr_t) {});
    Worker::current()->wait_all();
  }
}

TEST_CASE("what the workers count adds up") {
  const auto engine = start({.worker_count = 3});
  for (int i = 0; i < 100; ++i) {
    spawn(100, [](std::uintptr_t children) {
      for (std::uintptr_t j = 0; j < children; ++j) spawn(0, [](std::uintptr_t) {});
    });
  }
  Worker::current()->wait_all();
  engine->stop();
  CHECK(sum(*engine, &WorkerStats::spawned) == 100 + 100 * 100);
  CHECK(sum(*engine, &WorkerStats::ran) == 100 + 100 * 100);
  CHECK(sum(*engine, &WorkerStats::linked) == 0);
  CHECK(sum(*engine, &WorkerStats::stolen) >= sum(*engine, &WorkerStats::steals));
}

TEST_CASE("an engine that has stopped knows what is not over") {
  const auto engine = start({.worker_count = 2});
  for (int i = 0; i < 100; ++i) spawn(0, [](std::uintptr_t) {});
  Worker::current()->wait_all();
  engine->stop();
  CHECK(engine->broken_invariant() == nullptr);
  graph::Interior& family = *engine->worker(0).task()->interior;
  family.spawned += 1;
  CHECK(engine->broken_invariant() != nullptr);
  family.spawned -= 1;
  CHECK(engine->broken_invariant() == nullptr);
}

namespace {

// A tree of tasks in which each waits for its children; counts its leaves.
struct Tree {
  unsigned fan_out;
  sync::Atomic<unsigned> leaves{0};
  sync::Atomic<unsigned> strayed{0};  // tasks that came back from a wait on another thread

  void grow(unsigned depth) {
    if (depth == 0) {
      leaves.fetch_add(1, sync::relaxed);
      return;
    }
    Worker* const before = Worker::current();
    for (unsigned i = 0; i < fan_out; ++i) {
      struct Closure {
        Tree* tree;
        unsigned depth;
      };
      graph::Task* task = before->draft(sizeof(Closure), 0);
      ::new (task->closure()) Closure{this, depth - 1};
      task->site = nullptr;
      task->body = [](void* memory, const myr_access*) {
        const Closure closure = *static_cast<Closure*>(memory);
        closure.tree->grow(closure.depth);
      };
      before->submit(task);
    }
    before->wait_all();
    if (Worker::current() != before) strayed.fetch_add(1, sync::relaxed);
  }
};

}  // namespace

namespace {

// Workers that do not spin sleep, or nap, where others look on.
void grow_with(std::size_t stacks, unsigned workers, std::uint64_t spin_ns) {
  CAPTURE(stacks);
  CAPTURE(workers);
  CAPTURE(spin_ns);
  const auto engine = start({.worker_count = workers, .spin_ns = spin_ns, .stacks_max = stacks});
  Tree tree{.fan_out = 3};
  for (int round = 0; round < 5; ++round) tree.grow(6);
  CHECK(tree.leaves.load(sync::relaxed) == 5 * 729);
  CHECK(tree.strayed.load(sync::relaxed) == 0);
}

}  // namespace

TEST_CASE("tasks that wait go on where they were, however few stacks there are") {
  for (const std::size_t stacks : {0U, 1U, 2U, 1000U}) {
    for (const unsigned workers : {1U, 2U, 5U}) {
      grow_with(stacks, workers, 0);
      grow_with(stacks, workers, EngineOptions().spin_ns);
    }
  }
}

TEST_CASE("tasks nested too deeply for one stack go on upon others") {
  // Sanitizers have stacks of their own, with other limits.
  constexpr unsigned kDepth = base::kIsSanitized ? 300 : 100'000;
  for (const unsigned workers : {1U, 2U}) {
    const auto engine = start({.worker_count = workers});
    Tree tree{.fan_out = 1};
    tree.grow(kDepth);
    CHECK(tree.leaves.load(sync::relaxed) == 1);
    CHECK(tree.strayed.load(sync::relaxed) == 0);
  }
}

TEST_CASE("the serial machine runs a task where it is spawned") {
  const auto engine = start({.serial = true});
  static int last;
  last = -1;
  for (std::uintptr_t i = 0; i < 10; ++i) {
    spawn(i, [](std::uintptr_t number) {
      CHECK(last == static_cast<int>(number) - 1);
      last = static_cast<int>(number);
    });
    CHECK(last == static_cast<int>(i));
  }
  Worker::current()->wait_all();
}
