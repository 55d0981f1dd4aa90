// SPDX-License-Identifier: Apache-2.0
#include "cluster/sim/task_memory.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace myr::cluster::sim;
using myr::cluster::UserTask;
using myr::cluster::UserTaskPtr;

namespace {

struct alignas(64) Counted {
  std::uint64_t value = 0;
};

UserTaskPtr task_on(Counted& number, unsigned mode) {
  UserTaskPtr task = UserTask::make(nullptr, 0, 1);
  *task->accesses() = myr_make_access(&number, sizeof number, mode);
  return task;
}

// A task that calls body(), from its beginning to the flush.
template <class Body>
void run(TaskMemory& core, Counted& number, unsigned mode, Body body) {
  const UserTaskPtr task = task_on(number, mode);
  core.begin(*task);
  body();
  static_cast<void>(core.end(*task));
  static_cast<void>(core.flush());
}

scc::MemoryMap striped() { return scc::MemoryMap(scc::Placement::Striped); }

}  // namespace

TEST_CASE("on the tree's chip, what a task has written is in memory once its core has flushed") {
  Counted number;
  TaskMemory core(0, striped());
  const UserTaskPtr task = task_on(number, MYR_INOUT);
  core.begin(*task);
  number.value = 1;
  static_cast<void>(core.end(*task));
  CHECK(number.value == 0);
  static_cast<void>(core.flush());
  CHECK(number.value == 1);
}

TEST_CASE("on the tree's chip, a task sees what others wrote since its core read it") {
  Counted number;
  TaskMemory first(0, striped());
  TaskMemory second(47, striped());
  run(first, number, MYR_IN, [] {});
  run(second, number, MYR_INOUT, [&] { number.value = 1; });
  run(first, number, MYR_IN, [&] { CHECK(number.value == 1); });
}

TEST_CASE("on the tree's chip, bytes of a task that spawns are left to its children") {
  Counted number;
  TaskMemory core(0, striped());
  const UserTaskPtr task = task_on(number, MYR_INOUT);
  core.begin(*task);
  number.value = 1;
  core.share(*task);
  CHECK(core.end(*task).is_over());  // nor does it go through them itself
  CHECK(number.value == 1);
}

TEST_CASE("on the tree's chip, a task takes what it computes, its lines, and a flush") {
  std::array<Counted, 1000> numbers;
  UserTaskPtr task = UserTask::make(nullptr, 0, 1);
  *task->accesses() = myr_make_access(numbers.data(), sizeof numbers, MYR_IN);
  TaskMemory core(0, striped());
  scc::Controllers controllers;
  const auto time = [&](scc::BurstWalk walk) {
    myr::transport::sim::Cycles now = 0;
    while (!walk.is_over()) now = walk.step(0, controllers, now);
    return now + walk.work_left();
  };
  core.begin(*task);
  core.work(*task, 5'000'000);
  const auto spent = time(core.end(*task));
  const std::uint64_t lines = sizeof numbers / scc::kLineBytes;
  CHECK(spent >= 5'000'000 + lines * scc::memory_latency(0, 0));
  CHECK(spent <= 5'000'000 + lines * scc::memory_latency(0, 3));
  const std::uint64_t cache = scc::kSecondCacheBytes / scc::kLineBytes;
  CHECK(time(core.flush()) >= cache * scc::memory_latency(0, 0));
}
