// SPDX-License-Identifier: Apache-2.0
//
// Engines by themselves: they start and stop, several in one process one after the other, and count
// what they do.
#include "engine/engine.hpp"

#include <doctest/doctest.h>

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

std::uint64_t sum(Engine& engine, std::uint64_t WorkerStats::* value) {
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
