// SPDX-License-Identifier: Apache-2.0
//
// myr_set_error_handler(), and process.hpp over it: a wrong call is taken back, and the program
// goes on; what cannot be taken back, the handler is told.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <myr/myr.hpp>
#include <myr/process.hpp>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace myr;

// On trees of schedulers, what main spawns is checked by others.
bool main_is_checked_here() {
  const std::string_view on = std::getenv("MYR_ON");
  return on.starts_with("smp") || on.starts_with("serial");
}

// Errors are exceptions while it lives.
struct Throwing {
  Throwing() { throw_errors(); }
  ~Throwing() { myr_set_error_handler(nullptr); }
};

template <class Call>
std::string text_of(const Call& call) {
  try {
    call();
  } catch (const Misuse& misuse) {
    return std::string(misuse.what());
  }
  return "nothing was thrown";
}
bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

int* freed_object() {
  int* object = Region::root().make<int>(1);
  myr_free(object);
  return object;
}

void nothing(const myr_access*) {}

}  // namespace

TEST_CASE("a wrong spawn throws where it is, and is as if it had not been") {
  if (!main_is_checked_here()) return;
  const Throwing throwing;
  int* gone = freed_object();
  int x = 0;
  const auto held = std::make_shared<int>(7);
  for (int i = 0; i < 100; ++i) {
    spawn([](int& y) { ++y; }, inout(x));
    unsigned line = 0;
    try {
      line = __LINE__ + 1;
      spawn([held](int& y, int*) { y = -1000; }, inout(x), inout(gone));
      FAIL("no exception");
    } catch (const Misuse& misuse) {
      CHECK(misuse.line() == line);
      CHECK(contains(misuse.file(), "errors_test.cpp"));
      CHECK(contains(misuse.what(), "spawn with inout"));
    }
    spawn(priority(1), [](int& y) { ++y; }, inout(x));
    CHECK_THROWS_AS(spawn(priority(2), [](int*) {}, inout(gone)), Misuse);
  }
  wait_all();
  CHECK(x == 200);
  CHECK(held.use_count() == 1);
}

TEST_CASE("so do waits, loops and reductions") {
  if (!main_is_checked_here()) return;
  const Throwing throwing;
  int* gone = freed_object();
  int x = 0;
  spawn([](int& y) { y = 1; }, out(x));
  CHECK_THROWS_AS(wait(in(x), in(gone)), Misuse);
  CHECK_THROWS_AS(for_each(Range{0, 100}, inout(gone), [](std::size_t) {}), Misuse);
  CHECK_THROWS_AS(spawn([](const int*, int& own) { own = 5; }, in(gone), reduce(x, std::plus<>())),
                  Misuse);
  CHECK_THROWS_AS(spawn(later, [](int& own) { own = 5; }, reduce(*gone, std::plus<>())), Misuse);
  CHECK_THROWS_AS(static_cast<void>(is_ready(in(gone))), Misuse);
  CHECK_THROWS_AS(
      reduce_each(Range{0, 100}, reduce(x, std::plus<>()), in(gone), [](std::size_t) { return 1; }),
      Misuse);
  wait_all();
  CHECK_THROWS_AS(wait(in(gone)), Misuse);
  CHECK(x == 1);
}

TEST_CASE("what is wrong with memory") {
  if (!main_is_checked_here()) return;
  const Throwing throwing;
  const Region region = Region::create();
  region.free();
  CHECK(contains(text_of([&] { std::ignore = region.make<int>(1); }), "there is no region"));
  CHECK(contains(text_of([&] { region.free(); }), "region"));
  CHECK(contains(text_of([] { Region::root().free(); }), "region 0"));
  CHECK(contains(text_of([] { Region::root().cancel(); }), "region 0"));
  CHECK(contains(text_of([] { myr_free(freed_object()); }), "no live object"));
  int* object = Region::root().make<int>(42);
  CHECK(*object == 42);
  destroy(object);
}

TEST_CASE("what is wrong with events and blocks") {
  if (!main_is_checked_here()) return;
  const Throwing throwing;
  CHECK(contains(text_of([] { std::ignore = Event::create(); }), "outside of a task"));
  CHECK(contains(text_of([] { std::ignore = Region::root().make_blocks<int>(100, 100); }),
                 "power of two"));
  CHECK(contains(text_of([] { std::ignore = Region::root().make_blocks<int>(100, 0); }),
                 "power of two"));
  spawn([] {
    const myr_event event = Event::create().release();
    Event(event).complete();
    CHECK_THROWS_AS(Event(event).complete(), Misuse);
  });
  wait_all();
}

TEST_CASE("in a task, a mistake is the task's failure") {
  if (!main_is_checked_here()) return;
  const Throwing throwing;
  int x = 0;
  int y = 0;
  spawn(
      [](int& a) {
        a = 1;
        const Region region = Region::create();  // in what it does not hold
        static_cast<void>(region);
      },
      inout(x));
  spawn([](int& b) { b = 2; }, out(y));
  CHECK(contains(text_of([] { wait_all(); }), "does not hold region"));
  CHECK(x == 1);
  CHECK(y == 2);
  wait_all();
}

TEST_CASE("what a child may not use, its parent may catch") {
  if (!main_is_checked_here()) return;
  const Throwing throwing;
  std::array<int, 100> numbers{};
  std::atomic<int> caught{0};
  for (int i = 0; i < 50; ++i) {
    spawn(
        [&caught](int* part) {
          try {
            spawn([](int* all) { all[0] = -1; }, inout(part, 100));
          } catch (const Misuse& misuse) {
            caught += contains(misuse.what(), "outside the footprint") ? 1 : 0;
          }
          spawn([](int* own) { own[0] += 1; }, inout(part, 10));
        },
        inout(numbers.data(), 50));
  }
  wait_all();
  CHECK(caught == 50);
  CHECK(numbers[0] == 50);
}

TEST_CASE("threads of the program") {
  if (!main_is_checked_here()) return;
  const Throwing throwing;
  std::vector<std::thread> threads;
  std::atomic<int> caught{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      int* gone = freed_object();
      int x = 0;
      for (int j = 0; j < 20; ++j) {
        spawn([](int& y) { ++y; }, inout(x));
        try {
          spawn([](int&, const int*) {}, inout(x), in(gone));
        } catch (const Misuse&) {
          ++caught;
        }
      }
      wait_all();
      caught += x == 20 ? 1 : 0;
    });
    threads.back().join();
  }
  CHECK(caught == 84);
}

TEST_CASE("no memory is an exception of C++, with and without a handler") {
  constexpr std::size_t kHuge = std::size_t{1} << 50;
  for (const bool with_handler : {false, true}) {
    if (with_handler) throw_errors();
    const Region region = Region::create();
    CHECK_THROWS_AS(std::ignore = region.make_array<char>(kHuge), std::bad_alloc);
    CHECK_THROWS_AS(std::ignore = region.make_array<double>(SIZE_MAX / 2), std::bad_alloc);
    CHECK_THROWS_AS(std::ignore = region.make_blocks<char>(kHuge, 4096), std::bad_alloc);
    int* object = region.make<int>(3);
    spawn([](int* p) { *p += 1; }, inout(object));
    wait(in(object));
    CHECK(*object == 4);
    region.free();
  }
  CHECK_THROWS_AS(std::ignore = myr_alloc(kHuge, MYR_ROOT), std::bad_alloc);  // by the handler
  myr_set_error_handler(nullptr);
}

TEST_CASE("a handler may let the program go on as if there had been no call") {
  static std::vector<std::string> texts;
  texts.clear();
  myr_set_error_handler([](const myr_error* error) -> int {
    texts.emplace_back(error->text);
    CHECK(error->size == sizeof(myr_error));
    return MYR_GO_ON;
  });
  CHECK(myr_alloc(std::size_t{1} << 50, MYR_ROOT) == nullptr);
  void* objects[2] = {&texts, &texts};
  myr_alloc_many(std::size_t{1} << 50, MYR_ROOT, 2, objects);
  CHECK(std::count(objects, objects + 2, nullptr) == 2);
  const myr_region region = myr_region_new(MYR_ROOT, 0);
  myr_region_free(region);
  CHECK(myr_alloc(8, region) == nullptr);
  CHECK(myr_region_new(region, 0) == MYR_NO_REGION);
  CHECK(texts.size() == 4);
  if (main_is_checked_here()) {
    const myr_access access = myr_in(freed_object());
    myr_spawn_array(nothing, &access, 1);
    myr_wait_array(&access, 1);
    CHECK(texts.size() == 6);
  }
  const myr_error_handler before = myr_set_error_handler(nullptr);
  CHECK((before != nullptr));
  CHECK((myr_set_error_handler(nullptr) == nullptr));
  wait_all();
}

TEST_CASE("a handler that comes while tasks run") {
  if (!main_is_checked_here()) return;
  int* gone = freed_object();
  std::atomic<bool> is_set{false};
  std::atomic<int> caught{0};
  for (int i = 0; i < 200; ++i) {
    if (i == 100) {
      throw_errors();
      is_set = true;
    }
    spawn([&, gone] {
      if (!is_set) return;
      try {
        spawn([](const int*) {}, in(gone));
      } catch (const Misuse&) {
        ++caught;
      }
    });
  }
  wait_all();
  CHECK(caught >= 100);
  myr_set_error_handler(nullptr);
}

// Sanitizers have locks that a fork beside other threads may find taken.
#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("of the end of the process, a handler is told") {
  if (!main_is_checked_here()) return;
  int told[2];
  REQUIRE(pipe(told) == 0);
  const pid_t child = fork();
  if (child == 0) {
    static int to = 0;
    to = told[1];
    dup2(told[1], STDERR_FILENO);
    myr_set_error_handler([](const myr_error* error) -> int {
      const std::string text = "told " + std::to_string(error->is_final) + "\n";
      if (write(to, text.data(), text.size()) < 0) _exit(1);
      if (error->is_final != 0) throw std::runtime_error("in vain");
      return MYR_END;
    });
    spawn([] { myr_task_failed({}); });
    wait_all();
    _exit(0);
  }
  close(told[1]);
  char said[2000] = {};
  std::size_t length = 0;
  for (ssize_t some = 1; some > 0; length += static_cast<std::size_t>(some)) {
    some = read(told[0], said + length, sizeof said - 1 - length);
    if (some < 0) break;
  }
  close(told[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == MYR_EXIT_MISUSE);
  CHECK(contains(said, "told 1\n"));
  CHECK(contains(said, "myrmidon: error: "));
}
#endif
