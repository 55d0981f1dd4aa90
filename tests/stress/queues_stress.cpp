// SPDX-License-Identifier: Apache-2.0
//
// More ready tasks than a worker's ring holds, and who finds them.
#include <vector>

#include "conformance/support.hpp"

using namespace myr;
using conformance::await;
using conformance::Spawning;

namespace {

constexpr unsigned kRingsFull = 5000;  // a ring holds 1024

// One task releases all others at once, when it ends. By a task or by main.
void release_many(std::atomic<unsigned>& ran) {
  Spawning spawning;
  std::atomic<bool> all_spawned{false};
  int x = 0;
  spawning.begin();
  spawn(
      [&](int&) {
        if (!spawning.is_below_us()) await([&] { return all_spawned.load(); });
      },
      inout(x));
  for (unsigned i = 0; i < kRingsFull; ++i) spawn([&](const int&) { ++ran; }, in(x));
  spawning.end();
  all_spawned = true;
  wait_all();
}

}  // namespace

TEST_CASE("one task releases more successors than a ring holds") {
  std::atomic<unsigned> ran{0};
  for (int round = 0; round < 5; ++round) release_many(ran);
  CHECK(ran == 5 * kRingsFull);
}

TEST_CASE("a waiting task finds its own children among more than a ring holds") {
  std::atomic<unsigned> ran{0};
  for (int i = 0; i < 4; ++i) {
    spawn([&] { release_many(ran); });
  }
  wait_all();
  CHECK(ran == 4 * kRingsFull);
}

TEST_CASE("one spawner makes more tasks ready than a ring holds, and nobody helps") {
  Spawning spawning;
  std::atomic<bool> all_spawned{false};
  std::atomic<unsigned> ran{0};
  spawning.begin();
  for (unsigned i = 1; i < myr_worker_count(); ++i) {
    spawn([&] {
      if (!spawning.is_below_us()) await([&] { return all_spawned.load(); });
    });
  }
  for (unsigned i = 0; i < kRingsFull; ++i) spawn([&] { ++ran; });
  spawning.end();
  all_spawned = true;
  wait_all();
  CHECK(ran == kRingsFull);
}

// A worker that has ended a child of the waiting task turns to an unrelated task next, without a
// pause if tasks are large. That one ends only after the wait, unless it is the waiting task's own
// worker that took it.
TEST_CASE("a task that waits for its children does not wait for unrelated tasks") {
  // CMakeLists.txt leaves it out elsewhere: with fewer, and on agents, main itself does not wait.
  REQUIRE(myr_worker_count() >= 3);
  REQUIRE(!conformance::is_of_agents());
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 16; ++i) {
      spawn([] {
        for (int k = 0; k < 50'000; ++k) asm volatile("" ::: "memory");
      });
    }
    wait_all();
    Spawning spawning;
    Spawning waiting;
    std::atomic<bool> child_runs{false};
    std::atomic<bool> others_spawned{false};
    std::atomic<bool> has_waited{false};
    spawning.begin();
    spawn([&] {
      if (!spawning.is_below_us()) {
        waiting.begin();
        spawn([&] { child_runs = true, await([&] { return others_spawned.load(); }); });
        spawn([&] { await([&] { return child_runs.load(); }); });
        wait_all();
        waiting.end();
      }
      has_waited = true;
    });
    await([&] { return child_runs || has_waited; });
    spawn([&] {
      if (spawning.is_below_us() || waiting.is_below_us()) return;
      await([&] { return has_waited.load(); });
    });
    spawning.end();
    others_spawned = true;
    await([&] { return has_waited.load(); });  // not in a wait: the others are to take the tasks
    wait_all();
  }
}

// Where there are fewer processors than workers, the workers beyond have to be called for it.
TEST_CASE("tasks that wait for each other all run, one on each worker") {
  if (conformance::is_of_agents()) return;  // schedulers there may queue two at the same worker
  const unsigned count = myr_worker_count();
  std::atomic<unsigned> begun{0};
  Spawning spawning;  // main may run a task before it has spawned the others
  spawning.begin();
  for (unsigned i = 0; i < count; ++i) {
    spawn([&] {
      begun += 1;
      if (!spawning.is_below_us()) await([&] { return begun == count; });
    });
  }
  spawning.end();
  wait_all();
  CHECK(begun == count);
}

// A task of agents keeps what it spawns if nobody begs for work when it begins to.
TEST_CASE("workers that have nothing run what a task of another worker spawns") {
  const unsigned count = myr_worker_count();
  if (count == 1) return;
  std::atomic<unsigned> begun{0};
  std::atomic<bool> has_child{false};
  std::atomic<bool> runs_elsewhere{false};
  Spawning spawning;
  spawning.begin();
  spawn([&] {
    if (spawning.is_below_us()) {
      has_child = true;
      return;
    }
    const unsigned here = myr_worker_index();
    await([&] { return begun == count - 1; });
    spawn([] {});
    has_child = true;
    await([&] {
      spawn([&, here] {
        if (myr_worker_index() != here) runs_elsewhere = true;
      });
      return runs_elsewhere.load();
    });
  });
  for (unsigned i = 1; i < count; ++i) {
    spawn([&] {
      begun += 1;
      if (!spawning.is_below_us()) await([&] { return has_child.load(); });
    });
  }
  spawning.end();
  wait_all();
  CHECK(begun == count - 1);
}
