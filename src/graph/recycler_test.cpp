// SPDX-License-Identifier: Apache-2.0
#include "graph/recycler.hpp"

#include <set>
#include <thread>

#include "graph/test_regions.hpp"
#include "graph/test_tasks.hpp"

using namespace myr;
using namespace myr::graph;

namespace {

// The recyclers of two workers, used by one thread unless a test says otherwise.
struct Two {
  std::vector<std::unique_ptr<Recycler>> all;
  Two() {
    REQUIRE(static_cast<bool>(TaskArena::reserve()));
    all.resize(2);
    for (std::uint16_t i = 0; i < 2; ++i) all[i] = std::make_unique<Recycler>(i, all);
  }
  [[nodiscard]] Recycler& operator[](std::size_t index) const { return *all[index]; }

  [[nodiscard]] Task* make(std::size_t home, std::size_t payload_bytes = 0) const {
    Task* task = all[home]->pool().allocate(payload_bytes);
    REQUIRE(task != nullptr);
    return task;
  }
  // What the worker `by` does when a task of any home is complete.
  void end(std::size_t by, Task* task) const {
    static_cast<void>(task->successors.complete());
    all[by]->recycle(task);
  }
};

}  // namespace

TEST_CASE("memory goes home, whoever ended the task") {
  const Two workers;
  for (const std::size_t payload : {0, 200, 3000}) {
    std::set<Task*> carved;
    while (carved.size() < 500) carved.insert(workers.make(0, payload));
    for (int round = 0; round < 3; ++round) {
      for (Task* task : carved) {
        CHECK(+task->home == 0);
        workers.end(1, task);
      }
      workers[1].flush();
      std::set<Task*> again;
      while (again.size() < 500) again.insert(workers.make(0, payload));
      CHECK(again == carved);
    }
  }
}

TEST_CASE("without a flush only the last few tasks are still away") {
  const Two workers;
  std::set<Task*> carved;
  while (carved.size() < 500) carved.insert(workers.make(0));
  for (Task* task : carved) workers.end(1, task);
  std::size_t back = 0;
  for (int i = 0; i < 400; ++i) back += carved.count(workers.make(0));
  CHECK(back == 400);
}

TEST_CASE("tasks of mixed sizes and homes come back to their own pools") {
  const Two workers;
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::vector<Task*> live;
  std::set<Task*> carved;
  for (int step = 0; step < 50'000; ++step) {
    if (live.size() < 300 && random() % 2 == 0) {
      const std::size_t home = random() % 2;
      const std::size_t payload = std::size_t{1} << random() % 14;
      Task* task = workers.make(home, payload);
      REQUIRE(+task->home == home);
      const bool external = Task::kHeaderBytes + payload > 4096;
      REQUIRE(external == ((task->flags & kExternal) != 0));
      carved.insert(task);
      live.push_back(task);
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      workers.end(random() % 2, live.back());
      live.pop_back();
    }
  }
  for (Task* task : live) workers.end(0, task);
  // At most 300 live at a time in each size and home, and a few on their way.
  CHECK(carved.size() < 2 * 11 * 400);
}

TEST_CASE("the memory of edges goes home with the task that they belong to") {
  const Two workers;
  std::set<Task*> blocks;
  Task* task = workers.make(0);
  for (std::size_t home : {0, 1, 0}) {
    Task* block = workers.make(home, 200);
    block->next = task->extra_edges.load(sync::relaxed);
    task->extra_edges.store(block, sync::relaxed);
    blocks.insert(block);
  }
  workers.end(1, task);
  workers[1].flush();
  CHECK(task->extra_edges.load(sync::relaxed) == nullptr);
  const std::set<Task*> again{workers.make(0, 200), workers.make(1, 200), workers.make(0, 200)};
  CHECK(again == blocks);
}

TEST_CASE("an interior is cleared before another task gets it") {
  const Two workers;
  TestTasks children;
  const TestRegions regions;
  for (int round = 0; round < 200; ++round) {
    Task* task = workers.make(0);
    workers[0].attach_interior(*task);
    Interior& interior = *task->interior;
    CHECK(interior.spawned == 0);
    CHECK(interior.finished_here == 0);
    CHECK(interior.live() == 0);
    CHECK_FALSE(interior.lends_stack);
    CHECK(interior.failure.load(sync::relaxed) == nullptr);
    Scenario scenario(children);
    const Target target{.kind = TargetKind::Object,
                        .writes = true,
                        .region = deps::kRootRegion,
                        .begin = 4096,
                        .end = 8192};
    for (int i = 0; i < 3; ++i) {
      const TaskRef child = scenario.next();
      Scenario::Sink sink(scenario, child);
      interior.domain.enter(regions.tree(), target, deps::kRootRegion, sink);
      CHECK(sink.reported() == (i == 0 ? 0 : Scenario::Set{1} << (i - 1)));
      scenario.settle(child, sink.reported());
    }
    interior.spawned = 7;
    interior.finished_here = 3;
    interior.lends_stack = true;
    interior.outstanding.store(-4, sync::relaxed);
    CHECK(task->references.drop());
    workers.end(0, task);
    CHECK(task->interior == nullptr);
  }
}

TEST_CASE("one worker spawns and another one ends, at the same time") {
  const Two workers;
  constexpr int kTasks = 2'000;
  sync::Atomic<Task*> handed{nullptr};
  std::thread consumer([&] {
    for (int i = 0; i < kTasks; ++i) {
      Task* task = nullptr;
      while ((task = handed.exchange(nullptr, sync::acquire)) == nullptr) std::this_thread::yield();
      workers.end(1, task);
    }
    workers[1].flush();
  });
  std::set<Task*> carved;
  for (int i = 0; i < kTasks; ++i) {
    Task* task = workers[0].pool().allocate(0);
    carved.insert(task);
    while (handed.load(sync::relaxed) != nullptr) std::this_thread::yield();
    handed.store(task, sync::release);
  }
  consumer.join();
  CHECK(carved.size() < 500);  // the memory came back and was used again
}
