// SPDX-License-Identifier: Apache-2.0
//
// What is replayed, by the workers' count of it; that results are right is up to tests/conformance
// and tests/random.
#include "engine/replay.hpp"

#include <doctest/doctest.h>

#include <array>
#include <memory>

#include "engine/engine.hpp"
#include "graph/test_space.hpp"

using namespace myr;
using engine::Engine;
using engine::Worker;

namespace {

constexpr unsigned kTasks = 10;
constexpr unsigned kRuns = 6;

// Steps of kTasks tasks, each of which adds a value to one of a few objects.
class Steps {
 public:
  Steps() {
    auto started = Engine::create(graph::test_space(), {.worker_count = 2});
    if (!started) FAIL(started.error().text);
    engine_ = std::move(*started);
    for (long*& object : objects) object = make(MYR_ROOT);
  }
  ~Steps() {
    main().wait_all();
    main().free_record(record_.get(), nullptr);
    for (long* object : objects) main().free(object, nullptr);
  }

  [[nodiscard]] base::ThreadContext& main() { return *base::ThreadContext::current(); }
  [[nodiscard]] long* make(myr_region region) {
    void* object = nullptr;
    main().allocate(sizeof(long), region, 1, &object, "test", nullptr);
    return new (object) long(0);
  }
  void spawn(const myr_access& access, long value) {
    const std::array<myr_access, 2> accesses = {access, myr_value(value)};
    main().spawn(
        [](const myr_access* args) {
          if ((args[0].flags & MYR_OUT) != 0)
            *static_cast<long*>(args[0].address) += args[1].integer;
        },
        accesses.data(), accesses.size(), nullptr);
  }
  // `other`: stands in for the access of the fifth task.
  void run(long value, const myr_access* other = nullptr) {
    main().begin_step(record_, nullptr);
    for (unsigned i = 0; i < kTasks; ++i) {
      const myr_access usual = myr_inout(objects[i % objects.size()]);
      spawn(other != nullptr && i == 4 ? *other : usual, value + i);
    }
    main().end_step(record_.get(), nullptr);
  }
  // The same without a recording, up to a wait for all.
  void run_plainly(long value, unsigned count = kTasks) {
    for (unsigned i = 0; i < count; ++i) {
      spawn(myr_inout(objects[i % objects.size()]), value + i);
    }
    main().wait_all();
  }
  // Since the last call.
  [[nodiscard]] std::uint64_t replayed() {
    const std::uint64_t all = Worker::current()->stats().replayed;
    const std::uint64_t fresh = all - seen_;
    seen_ = all;
    return fresh;
  }

  std::array<long*, 3> objects{};

 private:
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<base::StepRecord> record_;
  std::uint64_t seen_ = 0;
};

}  // namespace

TEST_CASE("all runs but the first are replayed, with other values") {
  Steps steps;
  for (unsigned run = 0; run < kRuns; ++run) steps.run(run);
  CHECK(steps.replayed() == (kRuns - 1) * kTasks);
  steps.main().wait_all();
  long sum = 0;
  for (const long* object : steps.objects) sum += *object;
  CHECK(sum == kRuns * (45 + (kRuns - 1) * kTasks / 2));
}

TEST_CASE("tasks and waits between two runs do not keep them from being replayed") {
  Steps steps;
  steps.run(0);
  for (unsigned run = 1; run < kRuns; ++run) {
    steps.spawn(myr_inout(steps.objects[1]), 7);
    steps.run(run);
    const myr_access access = myr_in(steps.objects[0]);
    if (run % 2 == 0) steps.main().wait(&access, 1, nullptr);
  }
  CHECK(steps.replayed() == (kRuns - 1) * kTasks);
}

TEST_CASE("the run that differs is replayed up to there, and the next one is recorded") {
  Steps steps;
  steps.run(0);
  const myr_access other = myr_in(steps.objects[1]);
  steps.run(1, &other);
  CHECK(steps.replayed() == 4);
  steps.run(2);
  CHECK(steps.replayed() == 0);
  steps.run(3);
  CHECK(steps.replayed() == kTasks);
}

TEST_CASE("an object in the place of another one is the same if its region is") {
  Steps steps;
  const myr_region region = steps.main().new_region(MYR_ROOT, 0, nullptr);
  long* const before = steps.make(region);
  const myr_access access = myr_inout(before);
  steps.run(0, &access);
  steps.run(1, &access);
  CHECK(steps.replayed() == kTasks);
  steps.main().free(before, nullptr);
  long* after = nullptr;
  for (int i = 0; i < 1000 && after != before; ++i) after = steps.make(region);
  REQUIRE(after == before);
  steps.run(2, &access);
  CHECK(steps.replayed() == kTasks);
  steps.main().free_region(region, nullptr);
}

TEST_CASE("a commutative access is never replayed") {
  Steps steps;
  const myr_access access = myr_commutative(steps.objects[1]);
  for (unsigned run = 0; run < kRuns; ++run) steps.run(run, &access);
  CHECK(steps.replayed() == 0);
}

TEST_CASE("what main spawns again and again between two waits is replayed by itself") {
  Steps steps;
  for (unsigned run = 0; run < 4; ++run) steps.run_plainly(run);
  CHECK(steps.replayed() == 0);  // three to find out, and one to be recorded
  for (unsigned run = 4; run < 10; ++run) steps.run_plainly(run);
  CHECK(steps.replayed() == 6 * kTasks);
  steps.main().wait_all();  // nothing in between: not a step
  steps.run_plainly(10);
  CHECK(steps.replayed() == kTasks);
  long sum = 0;
  for (const long* object : steps.objects) sum += *object;
  CHECK(sum == 11 * (45 + 50));
}

TEST_CASE("a repeated step that differs is analysed from there on, and is found anew") {
  Steps steps;
  for (unsigned run = 0; run < 5; ++run) steps.run_plainly(0);
  CHECK(steps.replayed() == kTasks);
  steps.run_plainly(0, kTasks + 1);
  CHECK(steps.replayed() == kTasks);
  for (unsigned run = 0; run < 4; ++run) steps.run_plainly(0);
  CHECK(steps.replayed() == 0);
  steps.run_plainly(0);
  CHECK(steps.replayed() == kTasks);
  for (unsigned change = 0; change < 10; ++change) {  // it gives up in the end
    for (unsigned run = 0; run < 5; ++run) steps.run_plainly(0, kTasks + change);
  }
  static_cast<void>(steps.replayed());
  for (unsigned run = 0; run < 9; ++run) steps.run_plainly(0);
  CHECK(steps.replayed() == 0);
}

TEST_CASE("few tasks are no step, nor those of a program that has recordings") {
  Steps steps;
  for (unsigned run = 0; run < 9; ++run) steps.run_plainly(0, 7);
  CHECK(steps.replayed() == 0);
  for (unsigned run = 0; run < 5; ++run) steps.run_plainly(0);
  CHECK(steps.replayed() == kTasks);
  steps.run(0);
  steps.run(1);
  CHECK(steps.replayed() == kTasks);
  for (unsigned run = 0; run < 9; ++run) steps.run_plainly(0);
  CHECK(steps.replayed() == 0);
}
