// SPDX-License-Identifier: Apache-2.0
#include "cluster/sim/task_memory.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace myr::cluster::sim;
using myr::cluster::SpreadTask;

namespace {

struct alignas(64) Counted {
  std::uint64_t value = 0;
};

void begin(TaskMemory& core, const SpreadTask& task, Counted& number, unsigned mode) {
  const myr_access access = myr_make_access(&number, sizeof number, mode);
  core.begin(task, {&access, 1});
}

// A task that calls body(), from its beginning to the flush.
template <class Body>
void run(TaskMemory& core, Counted& number, unsigned mode, Body body) {
  const SpreadTask task;
  begin(core, task, number, mode);
  body();
  static_cast<void>(core.end(task));
  static_cast<void>(core.flush());
}

scc::MemoryMap striped() { return scc::MemoryMap(scc::Placement::Striped); }

}  // namespace

TEST_CASE("on the tree's chip, what a task has written is in memory once its core has flushed") {
  Counted number;
  TaskMemory core(0, striped());
  const SpreadTask task;
  begin(core, task, number, MYR_INOUT);
  number.value = 1;
  static_cast<void>(core.end(task));
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
  const SpreadTask task;
  begin(core, task, number, MYR_INOUT);
  number.value = 1;
  core.share(task);
  CHECK(core.end(task).is_over());  // nor does it go through them itself
  CHECK(number.value == 1);
}

TEST_CASE("on the tree's chip, a task takes what it computes, its lines, and a flush") {
  std::array<Counted, 1000> numbers;
  const SpreadTask task;
  const myr_access access = myr_make_access(numbers.data(), sizeof numbers, MYR_IN);
  TaskMemory core(0, striped());
  scc::Controllers controllers;
  const auto time = [&](scc::BurstWalk walk) {
    myr::transport::sim::Cycles now = 0;
    while (!walk.is_over()) now = walk.step(0, controllers, now);
    return now + walk.work_left();
  };
  core.begin(task, {&access, 1});
  core.work(task, 5'000'000);
  const auto spent = time(core.end(task));
  const std::uint64_t lines = sizeof numbers / scc::kLineBytes;
  CHECK(spent >= 5'000'000 + lines * scc::memory_latency(0, 0));
  CHECK(spent <= 5'000'000 + lines * scc::memory_latency(0, 3));
  const std::uint64_t cache = scc::kSecondCacheBytes / scc::kLineBytes;
  CHECK(time(core.flush()) >= cache * scc::memory_latency(0, 0));
}
