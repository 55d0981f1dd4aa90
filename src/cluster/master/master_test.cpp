// SPDX-License-Identifier: Apache-2.0
//
// The master, its workers and the caches between them, on the simulated chip and on threads, with
// tasks that are functions of the test.
#include "cluster/master/master.hpp"

#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "cluster/master/chip_core.hpp"
#include "cluster/master/thread_core.hpp"
#include "cluster/master/thread_worker.hpp"

using namespace myr::cluster::master;
using myr::deps::BlockAccess;
using myr::deps::BlockUse;
using scc::Extent;

namespace {

using Number = std::uint64_t;

// A program of tasks on some numbers, each of which has a line of a cache, and a block, for itself.
class Script {
 public:
  static constexpr std::size_t kNumbers = 16;

  Script(MasterCore& core, unsigned workers) : master_(core, workers) {}

  Number& number(std::size_t index) { return numbers_[index].value; }
  Master& master() { return master_; }
  std::set<unsigned> used_workers() const { return used_; }

  // Calls body(i) for each of so many parts of a loop, which together have one block; part i writes
  // number i.
  static constexpr std::uint64_t kLoopBlock = 1000;
  void spawn_loop(std::size_t parts, const std::function<void(std::size_t)>& body) {
    std::vector<std::uint32_t> tasks;
    for (std::size_t i = 0; i < parts; ++i) {
      tasks.push_back(master_.take_descriptor());
      REQUIRE(tasks.back() != Master::kNoTask);
      std::vector<BlockAccess> none;
      Task& self = tasks_[tasks.back()];
      self = {.extents = {}, .body = [=] { body(i); }, .work = 1'000'000};
      note(i, true, self, none);
    }
    const BlockAccess all{kLoopBlock, BlockUse::Write};
    master_.spawn(tasks, 1, {&all, 1});
  }
  // body() may read and write these.
  void spawn(std::vector<std::size_t> reads, std::vector<std::size_t> writes,
             std::function<void()> body, Cycles work = 1000,
             std::uint8_t place = Master::kAnyPlace) {
    const std::uint32_t task = master_.take_descriptor();
    REQUIRE(task != Master::kNoTask);
    std::vector<BlockAccess> blocks;
    Task& self = tasks_[task];
    self = {.extents = {}, .body = std::move(body), .work = work};
    for (const std::size_t index : reads) note(index, false, self, blocks);
    for (const std::size_t index : writes) note(index, true, self, blocks);
    master_.spawn({&task, 1}, static_cast<std::uint32_t>(blocks.size()), blocks, place);
  }
  bool wait_for(std::size_t index) {
    const std::vector<BlockAccess> blocks{{index, BlockUse::Write}};
    return master_.wait(blocks);
  }

 protected:
  struct Task {
    std::vector<Extent> extents;
    std::function<void()> body;
    Cycles work;
  };

  ~Script() = default;
  const Task& task(std::uint32_t number) const { return tasks_[number]; }
  void note_worker(unsigned worker) { used_.insert(worker); }
  // False: there is no task for the worker.
  template <class Worker>
  bool run_next(Worker& worker) {
    const auto number = worker.take(
        [this](std::uint32_t task) -> const std::vector<Extent>& { return tasks_[task].extents; });
    if (!number) return false;
    tasks_[*number].body();
    worker.leave();
    worker.complete();
    return true;
  }

 private:
  struct alignas(64) Line {
    Number value = 0;
  };

  void note(std::size_t index, bool writes, Task& task, std::vector<BlockAccess>& blocks) {
    const auto begin = reinterpret_cast<std::uint64_t>(&numbers_[index].value);
    task.extents.push_back({.begin = begin, .end = begin + sizeof(Number), .writes = writes});
    blocks.push_back({index, writes ? BlockUse::Write : BlockUse::Read});
  }

  std::array<Line, kNumbers> numbers_{};
  std::vector<Task> tasks_{kDescriptors};
  std::set<unsigned> used_;
  Master master_;
};

// On the simulated chip.
struct ChipCores : Bodies {
  ChipCores(unsigned workers, const Care& care)
      : cores_(first_cores(workers), scc::MemoryMap(scc::Placement::Striped), care, *this),
        core_(scc::kMiddle, cores_, care) {}

  static std::vector<CoreNumber> first_cores(unsigned workers) {
    std::vector<CoreNumber> cores = scc::cores_around(scc::kMiddle);
    cores.resize(workers);
    return cores;
  }

  WorkerCores cores_;
  ChipCore core_;
};
class ChipScript final : private ChipCores, public Script {
 public:
  explicit ChipScript(unsigned workers, const Care& care = {})
      : ChipCores(workers, care), Script(core_, workers) {}

  WorkerCores& cores() { return cores_; }
  Cycles now() const { return core_.now(); }

 private:
  void run(std::uint32_t number, unsigned worker, Cycles, scc::CoreMemory& memory,
           Run& run) override {
    const Task& self = task(number);
    note_worker(worker);
    memory.begin(self.extents);
    self.body();
    for (const Extent& extent : self.extents) {
      memory.traffic(extent.begin, extent.end - extent.begin, false, run.bursts);
      if (extent.writes) {
        memory.traffic(extent.begin, extent.end - extent.begin, true, run.bursts);
      }
    }
    memory.end();
    run.work = self.work;
  }
};

// With the parts that are on threads, all on the thread of the test: when the master rests, each
// worker has a turn. If all have had one in vain, nothing is going to happen any more.
class TurnsCore final : public ThreadCore {
 public:
  TurnsCore(ThreadBuffers& buffers, const Care& care, std::function<bool()> give_turns)
      : ThreadCore(buffers, care, [](unsigned) {}, 0), give_turns_(std::move(give_turns)) {}

  bool rest(const std::function<bool()>& look) override { return give_turns_() || look(); }

 private:
  std::function<bool()> give_turns_;
};
struct Nothing {
  void operator()(CoreNumber) const {}
};
template <class Core, class Sent>
struct ThreadCores {
  template <class... More>
  ThreadCores(unsigned workers, const Care& care, Sent sent, More... more)
      : buffers_(workers), core_(buffers_, care, std::move(more)...) {
    for (unsigned i = 0; i < workers; ++i) workers_.emplace_back(buffers_, i, care, sent);
  }

  ThreadBuffers buffers_;
  Core core_;
  std::deque<ThreadWorker<Sent>> workers_;
};
class TurnsScript final : private ThreadCores<TurnsCore, Nothing>, public Script {
 public:
  explicit TurnsScript(unsigned workers, const Care& care = {})
      : ThreadCores(workers, care, Nothing{}, [this] { return give_turns(); }),
        Script(core_, workers) {}

  bool give_turns() {
    bool has_run = false;
    for (unsigned i = 0; i < workers_.size(); ++i) {
      if (!run_next(workers_[i])) continue;
      note_worker(i);
      has_run = true;
    }
    return has_run;
  }
};

// The same on threads.
struct Completed {
  ThreadCore* core;
  void operator()(CoreNumber) const { core->note_completed(); }
};
class ThreadScript final : private ThreadCores<ThreadCore, Completed>, public Script {
 public:
  explicit ThreadScript(unsigned workers)
      : ThreadCores(
            workers, Care{.master_sends = true}, Completed{&core_}, [](unsigned) {},
            std::uint64_t{1000}),
        Script(core_, workers) {
    for (auto& worker : workers_) {
      threads_.emplace_back([this, &worker] {
        while (!stopping_.load(myr::sync::relaxed)) {
          if (!run_next(worker)) std::this_thread::yield();
        }
      });
    }
  }
  ~ThreadScript() {
    stopping_.store(true, myr::sync::relaxed);
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  myr::sync::Atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

// A chain of tasks that count, which goes from worker to worker. Returns what it counted to; none:
// it never ended.
template <class Machine>
std::optional<Number> count_to(Number end, const Care& care) {
  Machine script(2, care);
  for (Number i = 0; i < end; ++i) script.spawn({}, {0}, [&] { script.number(0) += 1; });
  if (!script.master().wait_all()) return {};
  CHECK(script.used_workers().size() == 2);
  return script.number(0);
}

// Random tasks, and waits for some of them; in the end the numbers are those of the serial program.
template <class Machine>
void check_random_program(Machine& script, std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  CAPTURE(seed);
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

}  // namespace

TEST_CASE_TEMPLATE("a chain that goes from core to core counts right with all care taken", Machine,
                   ChipScript, TurnsScript) {
  CHECK(count_to<Machine>(20, {}) == 20);
}

TEST_CASE_TEMPLATE("without the workers' flush others miss what a task has written", Machine,
                   ChipScript, TurnsScript) {
  CHECK(count_to<Machine>(20, {.worker_flushes = false}) != 20);
}

TEST_CASE_TEMPLATE("without the workers' invalidation a task sees what its core has kept", Machine,
                   ChipScript, TurnsScript) {
  CHECK(count_to<Machine>(20, {.worker_invalidates = false}) != 20);
}

TEST_CASE_TEMPLATE("without dropping its lines a worker does not see the task that has come",
                   Machine, ChipScript, TurnsScript) {
  CHECK_FALSE(count_to<Machine>(20, {.worker_drops_lines = false}).has_value());
}

TEST_CASE_TEMPLATE(
    "without a flush of its write-combining buffer a worker's last task is not completed", Machine,
    ChipScript, TurnsScript) {
  CHECK_FALSE(count_to<Machine>(20, {.worker_sends_completed = false}).has_value());
}

TEST_CASE_TEMPLATE("without dropping its lines the master does not see completed tasks", Machine,
                   ChipScript, TurnsScript) {
  CHECK_FALSE(count_to<Machine>(20, {.master_drops_lines = false}).has_value());
}

TEST_CASE_TEMPLATE("random programs leave memory as the serial one", Machine, ChipScript,
                   TurnsScript) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Machine script(1 + static_cast<unsigned>(seed % 7));
    check_random_program(script, seed);
  }
}

TEST_CASE("a master sleeps while its workers' threads run, and wakes") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ThreadScript script(1 + static_cast<unsigned>(seed % 4));
    check_random_program(script, seed);
  }
}

TEST_CASE("a spawn blocks for nothing but a descriptor") {
  ChipScript script(1);
  const Cycles task = 1'000'000'000;  // longer than all spawns
  for (unsigned i = 0; i < kDescriptors; ++i) script.spawn({0}, {}, [] {}, task);
  CHECK(script.now() < task);  // it has waited for none
  CHECK(script.master().unfinished() == kDescriptors);
  CHECK(script.master().usage().kept == kDescriptors - kEntries);
  script.spawn({0}, {}, [] {}, task);
  CHECK(script.now() > task);  // for the first one to end
  CHECK(script.master().unfinished() <= kDescriptors);
  CHECK(script.master().wait_all());
  CHECK(script.cores().usage(0).tasks == kDescriptors + 1);
}

TEST_CASE_TEMPLATE("parts of a loop run on all workers, and loops of one block one after the other",
                   Machine, ChipScript, TurnsScript) {
  Machine script(4);
  const std::size_t parts = 8;
  for (Number round = 1; round <= 600; ++round) {  // more parts than descriptors
    script.spawn_loop(parts, [&, round](std::size_t i) {
      for (std::size_t other = 0; other < i; ++other) CHECK(script.number(other) >= round - 1);
      script.number(i) += 1;
      CHECK(script.number(i) == round);
    });
  }
  CHECK(script.used_workers().size() == 4);
  REQUIRE(script.master().wait(std::vector<BlockAccess>{{Script::kLoopBlock, BlockUse::Read}}));
  for (std::size_t i = 0; i < parts; ++i) CHECK(script.number(i) == 600);
  CHECK(script.master().wait_all());
  CHECK(script.master().unfinished() == 0);
}

TEST_CASE("a task with a place runs there unless workers elsewhere have two tasks fewer") {
  ChipScript script(4);
  script.master().set_places({0, 0, 1, 1});
  const auto ran = [&](unsigned worker) { return script.cores().usage(worker).tasks; };
  for (unsigned i = 0; i < 4; ++i) script.spawn({}, {i}, [] {}, 1000, 1);
  REQUIRE(script.master().wait_all());
  CHECK(ran(2) + ran(3) == 4);
  for (unsigned i = 0; i < 16; ++i) script.spawn({}, {i}, [] {}, 50'000'000, 1);
  REQUIRE(script.master().wait_all());
  for (unsigned worker = 0; worker < 4; ++worker) CHECK(ran(worker) >= 3);
}

TEST_CASE("independent tasks run at the same time, dependent ones do not") {
  const auto elapsed = [](unsigned workers, bool is_chain) {
    ChipScript script(workers);
    for (std::size_t i = 0; i < 16; ++i) script.spawn({}, {is_chain ? 0 : i}, [] {}, 20'000'000);
    REQUIRE(script.master().wait_all());
    return script.now();
  };
  const Cycles alone = elapsed(1, false);
  CHECK(elapsed(16, false) < alone / 12);
  CHECK(elapsed(16, true) > alone * 9 / 10);
}

TEST_CASE("a task that the master has not sent is not seen before it polls") {
  for (const bool is_sent : {false, true}) {
    TurnsScript script(2, {.master_sends = is_sent});
    bool has_run = false;
    script.spawn({}, {0}, [&] { has_run = true; });
    CHECK(script.give_turns() == is_sent);
    CHECK(has_run == is_sent);
    CHECK(script.master().wait_all());
    CHECK(has_run);
  }
}

TEST_CASE("memory that no task has declared stays as it is while copies are exchanged") {
  struct {
    Number before = 1, inside = 2, behind = 3;
  } numbers;
  const auto begin = reinterpret_cast<std::uint64_t>(&numbers.inside);
  CoreCopies core;
  core.begin({{.begin = begin, .end = begin + sizeof(Number), .writes = true}});
  numbers = {.before = 10, .inside = 20, .behind = 30};
  core.end();
  CHECK(numbers.inside == 2);  // the new value is in the core's copy
  CHECK(numbers.before == 10);
  CHECK(numbers.behind == 30);
  core.flush();
  CHECK(numbers.inside == 20);
  numbers.inside = 5;
  core.begin({{.begin = begin, .end = begin + sizeof(Number)}});
  CHECK(numbers.inside == 20);  // which hides what others have written
  core.end();
  CHECK(numbers.inside == 5);
  core.flush();  // it is not written back again
  CHECK(numbers.inside == 5);
  core.invalidate();
  core.begin({{.begin = begin, .end = begin + sizeof(Number)}});
  CHECK(numbers.inside == 5);
  core.end();
}

TEST_CASE("extents of a task may overlap, and the newest copy of a byte counts") {
  std::array<Number, 4> numbers{1, 2, 3, 4};
  const auto at = [&](std::size_t i) { return reinterpret_cast<std::uint64_t>(&numbers[i]); };
  CoreCopies core;
  core.begin({{.begin = at(0), .end = at(3), .writes = true}, {.begin = at(1), .end = at(4)}});
  numbers[1] = 20;
  core.end();
  core.begin({{.begin = at(0), .end = at(4), .writes = true}});
  CHECK(numbers == std::array<Number, 4>{1, 20, 3, 4});
  numbers[1] = 30;
  core.end();
  CHECK(numbers == std::array<Number, 4>{1, 2, 3, 4});
  core.flush();
  CHECK(numbers == std::array<Number, 4>{1, 30, 3, 4});
}
