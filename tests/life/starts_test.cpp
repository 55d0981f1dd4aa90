// SPDX-License-Identifier: Apache-2.0
//
// myr_start(): machines that the program chooses, one after the other, from any thread; and what
// does not start.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <myr/myr.hpp>
#include <myr/process.hpp>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace myr;

// Some work of each kind.
long work() {
  long sum = 0;
  long chain = 1;
  int* object = Region::root().make<int>(1);
  for (long i = 0; i < 50; ++i) {
    spawn([i](long& own) { own += i; }, reduce(sum, std::plus<>()));
    spawn([](long& c) { c = 3 * c % 1009; }, inout(chain));
    spawn([](int* p) { *p += 1; }, inout(object));
  }
  reduce_each(Range{0, 1000}, reduce(sum, std::plus<>()), [](std::size_t) { return 1L; });
  wait_all();
  return sum + *object;
}
constexpr long kWork = 1225 + 1000 + 51;

std::string text_of(const Config& config) {
  const int code = try_start(config);
  return code == 0 ? "started" : myr_error_text(code);
}
bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("machines one after the other") {
  for (int round = 0; round < 10; ++round) {
    for (const char* name : {"serial", "smp:2", "tree:1+2", "smp:1", "master:1+2",
                             "sim:formic-520:1+4", "smp:3", "sim:scc-48:1+3"}) {
      start({.machine = name});
      CHECK(work() == kWork);
      finish();
    }
  }
}

TEST_CASE("workers, and the other members") {
  start({.workers = 3});
  CHECK(myr_worker_count() == 3);
  CHECK(work() == kWork);
  finish();
  start({.machine = "smp", .workers = 2, .pin = true, .stack_mib = 2, .chaos = 7});
  CHECK(myr_worker_count() == 2);
  CHECK(work() == kWork);
  finish();
  REQUIRE(myr_start(nullptr) == 0);
  CHECK(work() == kWork);
  finish();
}

TEST_CASE("a handler of errors comes with it") {
  start({.workers = 2, .on_error = [](const myr_error* error) -> int { throw Misuse(*error); }});
  CHECK_THROWS_AS(Region::root().free(), Misuse);
  finish();
  myr_set_error_handler(nullptr);
}

TEST_CASE("an observer is told of each task, on every machine") {
  struct Counts {
    std::atomic<long> begun{0};
    std::atomic<long> open{0};
    std::atomic<long> with_line{0};
  } counts;
  const myr_observer observer = {
      sizeof observer,
      [](void* data, const myr_site* site, unsigned worker) {
        auto& all = *static_cast<Counts*>(data);
        all.begun += 1;
        all.open += 1;
        all.with_line += site != nullptr && site->line != 0 && worker < 8 ? 1 : 0;
      },
      [](void* data, const myr_site*, unsigned) { static_cast<Counts*>(data)->open -= 1; },
      &counts};
  for (const char* name : {"serial", "smp:1", "smp:3", "tree:1+2", "master:1+2"}) {
    counts.begun = counts.with_line = 0;
    start({.machine = name, .observer = &observer});
    CHECK(work() == kWork);
    finish();
    CHECK(counts.begun >= 100);
    CHECK(counts.with_line >= 100);
    CHECK(counts.open == 0);
  }
  counts.begun = 0;
  start({.workers = 2});  // it was the other machines'
  CHECK(work() == kWork);
  finish();
  CHECK(counts.begun == 0);
  myr_observer half = {};  // is told of one of the two only
  half.size = sizeof half;
  half.data = &counts;
  half.begin = observer.begin;
  start({.workers = 2, .observer = &half});
  CHECK(work() == kWork);
  finish();
  CHECK(counts.begun >= 100);
  myr_config config = {};
  config.size = sizeof config;
  const myr_observer unfilled = {};
  config.observer = &unfilled;
  CHECK(contains(myr_error_text(myr_start(&config)), "sizeof(myr_observer)"));
}

TEST_CASE("what has been counted can be asked for at any time") {
  CHECK(!statistics());
  for (const char* name : {"serial", "smp:1", "smp:3"}) {
    start({.machine = name});
    CHECK(statistics()->ran == 0);
    CHECK(work() == kWork);
    CHECK(statistics()->ran >= 100);
    CHECK(statistics()->spawned == statistics()->ran);
    finish();
    CHECK(!statistics());
  }
  start({.machine = "smp:3"});
  std::atomic<std::uint64_t> reached{0};  // by all that ask while others count
  for (int i = 0; i < 100; ++i) {
    spawn([&] {
      for (int j = 0; j < 10; ++j) spawn([] {});
      const std::uint64_t now = statistics()->spawned;
      for (std::uint64_t old = reached; old < now && !reached.compare_exchange_weak(old, now);) {
      }
    });
  }
  wait_all();
  CHECK(reached <= 1'100);
  CHECK(statistics()->spawned == 1'100);
  CHECK(statistics()->ran == 1'100);
  struct {
    std::size_t size = sizeof size + sizeof spawned;
    std::uint64_t spawned = 0;
    std::uint64_t behind = 7;
  } older;
  CHECK(myr_get_statistics(reinterpret_cast<myr_statistics*>(&older)) == 0);
  CHECK(older.spawned == 1'100);
  CHECK(older.behind == 7);  // of a program that knows no more
  finish();
  start({.machine = "tree:1+2"});
  CHECK(work() == kWork);
  myr_statistics counted = {};
  counted.size = sizeof counted;
  CHECK(contains(myr_error_text(myr_get_statistics(&counted)), "--stats"));
  finish();
  CHECK(contains(myr_error_text(myr_get_statistics(&counted)), "no machine runs"));
}

TEST_CASE("the environment overrides") {
  setenv("MYR_ON", "smp:2", 1);
  start({.workers = 3});
  CHECK(myr_worker_count() == 2);
  finish();
  unsetenv("MYR_ON");
}

TEST_CASE("what does not start, and can be tried again") {
  CHECK(contains(text_of({.machine = "smp:0"}), "smp:0"));
  CHECK(contains(text_of({.machine = "cloud"}), "myr_start: "));
  CHECK(contains(text_of({.machine = "mpi:1+2"}), "myr run --on mpi:1+2"));
  CHECK(contains(text_of({.machine = "serial", .workers = 2}), "workers are for smp"));
  CHECK(contains(text_of({.stack_mib = 99'999}), "stack_mib is 99999; a task's stack has at most"));
  myr_config config = {};
  CHECK(contains(myr_error_text(myr_start(&config)), "sizeof(myr_config)"));
  struct {
    myr_config now;
    int later;
  } newer = {};
  newer.now.size = sizeof newer;
  newer.later = 1;
  CHECK(contains(myr_error_text(myr_start(&newer.now)), "does not know"));
  newer.later = 0;
  CHECK(myr_start(&newer.now) == 0);
  CHECK(contains(text_of({}), "runs already"));
  CHECK_THROWS_AS(start({.workers = 2}), StartError);
  CHECK(work() == kWork);
  finish();
}

TEST_CASE("threads that start, use and finish it") {
  for (unsigned round = 1; round <= 10; ++round) {
    std::thread([round] {
      start({.workers = 1 + round % 3});
      CHECK(work() == kWork);
    }).join();
    std::thread([] { CHECK(work() == kWork); }).join();
    std::thread([] { finish(); }).join();
  }
}

// Sanitizers have locks that a fork beside other threads may find taken.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("a forked child starts as its parent did") {
  start({.workers = 3});
  CHECK(work() == kWork);
  const pid_t child = fork();
  if (child == 0) {
    const bool is_right = work() == kWork && myr_worker_count() == 3;
    finish();
    _exit(is_right && try_start({.machine = "tree:1+1"}) == 0 && work() == kWork ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(work() == kWork);
  finish();
}
#endif
