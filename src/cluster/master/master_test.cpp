// SPDX-License-Identifier: Apache-2.0
//
// The master, its workers and the caches between them, with tasks that are functions of the test.
#include "cluster/master/master.hpp"

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

using namespace myr::cluster::master;
using myr::deps::BlockAccess;
using myr::deps::BlockUse;
using scc::Extent;

namespace {

using Number = std::uint64_t;

// A program of tasks on some numbers, each of which has a line of a cache, and a block, for itself.
class Script : public Bodies {
 public:
  static constexpr std::size_t kNumbers = 16;

  explicit Script(unsigned workers, const Care& care = {})
      : cores_(first_cores(workers), scc::Placement::Striped, care, *this),
        master_(scc::kMiddle, cores_, care) {}

  Number& number(std::size_t index) { return numbers_[index].value; }
  Master& master() { return master_; }
  WorkerCores& cores() { return cores_; }
  std::set<unsigned> used_workers() const { return used_; }

  // body() may read and write these.
  void spawn(std::vector<std::size_t> reads, std::vector<std::size_t> writes,
             std::function<void()> body, Cycles work = 1000) {
    const std::uint32_t task = master_.take_descriptor();
    REQUIRE(task != Master::kNoTask);
    std::vector<BlockAccess> blocks;
    Task& self = tasks_[task];
    self = {.extents = {}, .body = std::move(body), .work = work};
    for (const std::size_t index : reads) note(index, false, self, blocks);
    for (const std::size_t index : writes) note(index, true, self, blocks);
    master_.spawn(task, static_cast<std::uint32_t>(blocks.size()), blocks);
  }
  bool wait_for(std::size_t index) {
    const std::vector<BlockAccess> blocks{{index, BlockUse::Write}};
    return master_.wait(blocks);
  }

 private:
  struct alignas(64) Line {
    Number value = 0;
  };
  struct Task {
    std::vector<Extent> extents;
    std::function<void()> body;
    Cycles work;
  };

  static std::vector<CoreNumber> first_cores(unsigned workers) {
    std::vector<CoreNumber> cores = scc::cores_around(scc::kMiddle);
    cores.resize(workers);
    return cores;
  }
  void note(std::size_t index, bool writes, Task& task, std::vector<BlockAccess>& blocks) {
    const auto begin = reinterpret_cast<std::uint64_t>(&numbers_[index].value);
    task.extents.push_back({.begin = begin, .end = begin + sizeof(Number), .writes = writes});
    blocks.push_back({index, writes ? BlockUse::Write : BlockUse::Read});
  }
  void run(std::uint32_t number, unsigned worker, Cycles, scc::CoreMemory& memory,
           Run& run) override {
    const Task task = tasks_[number];
    used_.insert(worker);
    memory.begin(task.extents);
    task.body();
    for (const Extent& extent : task.extents) {
      memory.traffic(extent.begin, extent.end - extent.begin, false, run.bursts);
      if (extent.writes) {
        memory.traffic(extent.begin, extent.end - extent.begin, true, run.bursts);
      }
    }
    memory.end();
    run.work = task.work;
  }

  std::array<Line, kNumbers> numbers_{};
  std::map<std::uint32_t, Task> tasks_;
  std::set<unsigned> used_;
  WorkerCores cores_;
  Master master_;
};

// A chain of tasks that count, which goes from worker to worker. Returns what it counted to; none:
// it never ended.
std::optional<Number> count_to(Number end, const Care& care) {
  Script script(2, care);
  for (Number i = 0; i < end; ++i) script.spawn({}, {0}, [&] { script.number(0) += 1; });
  if (!script.master().wait_all()) return {};
  CHECK(script.used_workers().size() == 2);
  return script.number(0);
}

}  // namespace

TEST_CASE("a chain that goes from core to core counts right with all care taken") {
  CHECK(count_to(20, {}) == 20);
}

TEST_CASE("without the workers' flush others miss what a task has written") {
  CHECK(count_to(20, {.worker_flushes = false}) != 20);
}

TEST_CASE("without the workers' invalidation a task sees what its core has kept") {
  CHECK(count_to(20, {.worker_invalidates = false}) != 20);
}

TEST_CASE("without dropping its lines a worker does not see the task that has come") {
  CHECK_FALSE(count_to(20, {.worker_drops_lines = false}).has_value());
}

TEST_CASE("without a flush of its write-combining buffer a worker's last task is not completed") {
  CHECK_FALSE(count_to(20, {.worker_sends_completed = false}).has_value());
}

TEST_CASE("without dropping its lines the master does not see completed tasks") {
  CHECK_FALSE(count_to(20, {.master_drops_lines = false}).has_value());
}

TEST_CASE("random programs leave memory as the serial one") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::mt19937_64 dice(seed);
    CAPTURE(seed);
    Script script(1 + static_cast<unsigned>(dice() % 7));
    std::array<Number, Script::kNumbers> expected{};
    for (unsigned i = 0; i < 300; ++i) {
      const std::size_t from = dice() % Script::kNumbers;
      const std::size_t to = dice() % Script::kNumbers;
      script.spawn(
          {from}, {to},
          [&script, from, to, i] {
            script.number(to) = script.number(to) * 3 + script.number(from) + i;
          },
          dice() % 50'000);
      expected[to] = expected[to] * 3 + expected[from] + i;
      if (dice() % 50 == 0) {
        const std::size_t wanted = dice() % Script::kNumbers;
        REQUIRE(script.wait_for(wanted));
        REQUIRE(script.number(wanted) == expected[wanted]);
      }
    }
    REQUIRE(script.master().wait_all());
    for (std::size_t i = 0; i < Script::kNumbers; ++i) CHECK(script.number(i) == expected[i]);
    CHECK(script.master().unfinished() == 0);
  }
}

TEST_CASE("a spawn blocks for nothing but a descriptor") {
  Script script(1);
  const Cycles task = 1'000'000'000;  // longer than all spawns
  for (unsigned i = 0; i < kDescriptors; ++i) script.spawn({0}, {}, [] {}, task);
  CHECK(script.master().now() < task);  // it has waited for none
  CHECK(script.master().unfinished() == kDescriptors);
  CHECK(script.master().usage().kept == kDescriptors - kEntries);
  script.spawn({0}, {}, [] {}, task);
  CHECK(script.master().now() > task);  // for the first one to end
  CHECK(script.master().unfinished() <= kDescriptors);
  CHECK(script.master().wait_all());
  CHECK(script.cores().usage(0).tasks == kDescriptors + 1);
}

TEST_CASE("independent tasks run at the same time, dependent ones do not") {
  const auto elapsed = [](unsigned workers, bool is_chain) {
    Script script(workers);
    for (std::size_t i = 0; i < 16; ++i) script.spawn({}, {is_chain ? 0 : i}, [] {}, 20'000'000);
    REQUIRE(script.master().wait_all());
    return script.master().now();
  };
  const Cycles alone = elapsed(1, false);
  CHECK(elapsed(16, false) < alone / 12);
  CHECK(elapsed(16, true) > alone * 9 / 10);
}
