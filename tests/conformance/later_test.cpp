// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, Tasks for later, and Questions.
#include <chrono>
#include <functional>
#include <mutex>
#include <myr/arena.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support.hpp"

using namespace myr;
using namespace myr::conformance;
using namespace std::chrono_literals;

namespace {

// All of a simulated machine is one thread: a task that holds a lock there holds it against itself.
bool may_hold_locks() { return shares_memory() && !is_machine("sim"); }

// Does spawn(later) in a task run nothing, either?
bool is_later_everywhere() { return is_machine("serial") || is_machine("smp"); }

// Can a wait be given up?
bool answers_questions() { return is_machine("serial") || is_machine("smp"); }

}  // namespace

TEST_CASE("a task for later does not run in the call") {
  if (!may_hold_locks()) return;
  static std::mutex lock;
  int value = 0;
  {
    const std::scoped_lock held(lock);
    spawn(
        later,
        [](int& v) {
          const std::scoped_lock mine(lock);
          v = 7;
        },
        out(value));
  }
  wait(in(value));
  CHECK(value == 7);
}

TEST_CASE("later tasks keep the order of their accesses with all others") {
  int x = 1;
  int y = 0;
  for (int i = 0; i < 100; ++i) {
    spawn(later, [](int& v) { v = (v * 3 + 1) % 1009; }, inout(x));
    spawn([](int& v) { v = (v * 5 + 2) % 1009; }, inout(x));
    spawn(later, [](const int& from, int& to) { to += from; }, in(x), inout(y));
  }
  wait(in(y));
  int expected = 1;
  int sum = 0;
  for (int i = 0; i < 100; ++i) {
    expected = (expected * 3 + 1) % 1009;
    expected = (expected * 5 + 2) % 1009;
    sum += expected;
  }
  CHECK(y == sum);
  wait_all();
  CHECK(x == expected);
}

TEST_CASE("where nobody else runs them, they come at the next wait, in their order") {
  if (!is_machine("serial")) return;
  std::vector<int> order;
  for (int i = 0; i < 2000; ++i) {
    spawn(
        later, [](std::vector<int>& all, int n) { all.push_back(n); }, unchecked(std::ref(order)),
        i);
  }
  CHECK(order.empty());
  wait_all();
  REQUIRE(order.size() == 2000);
  for (int i = 0; i < 2000; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("others are called, unless they must wait for one of these") {
  if (!is_machine("serial")) return;
  int x = 0;
  std::vector<int> order;
  const auto note = [&order](int n) { order.push_back(n); };
  spawn(later, uses(inout(x)), note, 2);
  spawn(note, 1);
  spawn(uses(inout(x)), note, 3);
  CHECK(order == std::vector<int>{1});
  wait(in(x));
  CHECK(order == std::vector<int>{1, 2, 3});
  spawn(note, 4);
  CHECK(order.size() == 4);
}

TEST_CASE("tasks leave tasks for later, and wait for each") {
  int sum = 0;
  // The parent uses what its children use, so it waits for each of them.
  const auto in_order = [](int& s) {
    for (int i = 0; i < 20; ++i) {
      spawn(later, [](int& inner) { inner = inner * 2 + 1; }, inout(s));
      wait(inout(s));
      s %= 1000;
    }
  };
  for (int i = 0; i < 5; ++i) spawn(later, in_order, inout(sum));
  spawn(in_order, inout(sum));
  wait(in(sum));
  int expected = 0;
  for (int i = 0; i < 6 * 20; ++i) expected = (expected * 2 + 1) % 1000;
  CHECK(sum == expected);
}

TEST_CASE("a tree of tasks for later, none of which waits") {
  struct Grow {
    void operator()(std::vector<long>& counts, std::size_t from, std::size_t to) const {
      if (to - from == 1) {
        counts[from] += 1;
        return;
      }
      const std::size_t middle = from + (to - from) / 2;
      spawn(later, uses(inout(counts.data() + from, middle - from)), Grow(),
            unchecked(std::ref(counts)), from, middle);
      spawn(later, uses(inout(counts.data() + middle, to - middle)), Grow(),
            unchecked(std::ref(counts)), middle, to);
    }
  };
  if (!shares_memory()) return;
  std::vector<long> counts(3000);
  for (int round = 0; round < 3; ++round) {
    spawn(later, uses(inout(counts.data(), counts.size())), Grow(), unchecked(std::ref(counts)),
          std::size_t{0}, counts.size());
  }
  wait(in(counts));
  for (const long count : counts) CHECK(count == 3);
}

TEST_CASE("more tasks for later than any queue holds at first") {
  constexpr int kCount = 20'000;
  long sum = 0;
  for (int i = 0; i < kCount; ++i) {
    spawn(later, [](long& s, int n) { s += n; }, reduce(sum, std::plus<>()), i);
  }
  wait(in(sum));
  CHECK(sum == static_cast<long>(kCount) * (kCount - 1) / 2);
}

TEST_CASE("what a task for later throws is for the next wait for all") {
  spawn(later, [] { throw std::runtime_error("later"); });
  CHECK_THROWS_WITH(wait_all(), "later");
  Scope scope;
  scope.spawn(later, [] { throw std::runtime_error("in a scope"); });
  CHECK_THROWS_WITH(scope.wait(), "in a scope");
  Future<int> number = async(later, [] { return 7; });
  CHECK(number.get() == 7);
}

namespace {
void note_third(int& x) { x = x * 10 + 3; }
void note_second(int& x) {
  x = x * 10 + 2;
  spawn(later, note_third, inout(x));
}
void note_first(int& x) {
  x = x * 10 + 1;
  spawn(later, note_second, inout(x));
}
}  // namespace

TEST_CASE("who comes behind a task comes behind what that has left for later") {
  int x = 0;
  int copy = 0;
  spawn([](int& y) { spawn(later, [](int& z) { z = 5; }, out(y)); }, inout(x));
  spawn([](const int& from, int& to) { to = from; }, in(x), out(copy));
  wait_all();
  CHECK(copy == 5);
  x = 0;
  spawn(note_first, inout(x));
  wait(in(x));
  CHECK(x == 123);
  x = 0;
  spawn([](int& y) { spawn(note_first, inout(y)); }, inout(x));  // one further down
  spawn([](int& y) { y = y * 10 + 4; }, inout(x));
  wait(in(x));
  CHECK(x == 1234);
  x = 0;
  spawn(later, note_first, inout(x));
  spawn(note_first, inout(x));
  while (!is_ready(in(x))) {
  }
  CHECK(x == 123'123);
  Region region = Region::create();
  int* const y = region.make<int>(0);
  static int seen = 0;
  seen = 0;
  spawn(uses(inout(region)), [y] { spawn(later, [](int* z) { *z = 1, seen += 1; }, inout(y)); });
  region.free();
  if (is_later_everywhere()) CHECK(seen == 1);  // elsewhere schedulers free, behind the task
}

TEST_CASE("a task asks in a loop for what waits for what it has run") {
  if (!is_later_everywhere()) return;  // elsewhere questions wait
  for (int i = 0; i < 200; ++i) {
    int x = 0;
    spawn(
        [](int& own) {
          Scope scope;
          for (int j = 0; j < 3; ++j) {
            scope.spawn([](int& y) { spawn([](int& z) { z += 1; }, inout(y)); }, inout(own));
          }
          while (!scope.is_ready()) {
          }
        },
        inout(x));
    wait(in(x));
    CHECK(x == 3);
  }
}

TEST_CASE("priorities, regions, commutative accesses and steps of tasks for later") {
  Region region = Region::create();
  int* x = region.make<int>(1);
  spawn(priority(1), later, [](int* p) { *p += 1; }, inout(x));
  spawn(later, priority(3), uses(inout(region)), [x] { *x *= 10; });
  for (int i = 0; i < 10; ++i) spawn(later, [](int* p) { *p += 1; }, commutative(x));
  wait(in(region));
  CHECK(*x == 30);
  Recording repeated;
  for (int round = 0; round < 5; ++round) {
    repeated.step([x] {
      spawn(later, [](int* p) { *p += 1; }, inout(x));
      spawn([](int* p) { *p *= 2; }, inout(x));
    });
  }
  wait(in(x));
  CHECK(*x == ((((30 * 2 + 2) * 2 + 2) * 2 + 2) * 2 + 2) * 2 + 2);
  region.free();
}

TEST_CASE("is it ready?") {
  int x = 0;
  CHECK(is_ready(in(x)));  // no task uses it
  spawn(later, [](int& v) { v = 1; }, out(x));
  while (!is_ready(in(x))) {
  }
  CHECK(x == 1);
}

TEST_CASE("a question does not wait for a task that takes long") {
  if (!answers_questions() || !is_parallel()) return;
  static std::atomic<bool> is_open;
  is_open = false;
  int x = 0;
  int y = 0;
  int z = 0;
  // Reads what others read, too.
  spawn(
      later,
      [](int& v, const int&) {
        while (!is_open) std::this_thread::yield();
        v = 1;
      },
      inout(x), in(y));
  CHECK_FALSE(is_ready(in(x)));
  CHECK_FALSE(wait_for(1ms, in(x), in(y)));
  CHECK(is_ready(in(y)));
  CHECK_FALSE(is_ready(out(y)));
  CHECK(is_ready(in(y), out(z)));
  // Behind a question that was answered with no, tasks and waits find their order.
  spawn(later, [](int& v) { v *= 10; }, inout(x));
  CHECK_FALSE(is_ready(in(x)));
  is_open = true;
  while (!wait_for(1s, in(x))) {
  }
  CHECK(x == 10);
  wait_all();
}

TEST_CASE("many questions, and as many answers") {
  constexpr int kCount = 200;
  std::vector<int> values(kCount);
  for (int round = 0; round < 20; ++round) {
    for (int& value : values) spawn(later, [](int& v) { v += 1; }, inout(value));
    int ready = 0;
    for (int& value : values) ready += is_ready(in(value)) ? 1 : 0;
    CHECK(ready <= kCount);
  }
  for (int& value : values) {
    while (!is_ready(in(value))) {
    }
    CHECK(value == 20);
  }
}

TEST_CASE("a task asks for what its children make") {
  int result = 0;
  spawn(
      [](int& r) {
        int own = 0;
        spawn(later, [](int& v) { v = 1; }, out(own));
        spawn(later, [](int& v) { v += 1; }, inout(own));
        while (!is_ready(in(own))) {
        }
        spawn(later, [](int& to, const int& from) { to = from + 40; }, out(r), in(own));
        while (!wait_for(1ms, inout(r), inout(own))) {
        }
      },
      out(result));
  wait(in(result));
  CHECK(result == 42);
}

TEST_CASE("all workers ask at the same time") {
  std::vector<int> results(16);
  for (int& result : results) {
    spawn(
        later,
        [](int& r) {
          for (int i = 0; i < 50; ++i) {
            spawn(later, [](int& v) { v += 1; }, inout(r));
            spawn([](int& v) { v += 1; }, inout(r));
            while (!is_ready(inout(r))) {
            }
            r += 1;
          }
        },
        inout(result));
  }
  for (int& result : results) {
    while (!wait_for(1ms, in(result))) {
    }
    CHECK(result == 150);
  }
}

TEST_CASE("scopes and futures are asked, too") {
  Scope scope;
  int x = 0;
  scope.spawn(later, [](int& v) { v = 3; }, out(x));
  while (!scope.is_ready()) {
  }
  CHECK(x == 3);
  CHECK(scope.wait_for(1ms));
  Future<int> number = async(later, [](const int& v) { return v + 1; }, in(x));
  while (!number.is_ready()) {
  }
  CHECK(number.wait_for(1ms));
  CHECK(number.get() == 4);
}

TEST_CASE("threads of the program leave tasks for later, and ask") {
  if (!shares_memory() || is_machine("sim") || is_machine("mpi")) return;
  std::vector<int> results(4);
  std::vector<std::thread> threads;
  for (int& result : results) {
    threads.emplace_back([&result] {
      for (int i = 0; i < 100; ++i) {
        spawn(later, [](int& v) { v += 1; }, inout(result));
        if (i % 10 != 0) continue;
        while (!is_ready(in(result))) std::this_thread::yield();
        CHECK(result == i + 1);
      }
      wait_all();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(results == std::vector<int>(4, 100));
}

TEST_CASE("a task that its worker has left goes on while main asks") {
  if (!is_later_everywhere()) return;
  int x = 0;
  int y = 0;
  // Main's wait begins some of these on its own thread, where they wait in turn.
  for (int i = 0; i < 30; ++i) {
    spawn(
        later,
        [](int& v) {
          int own = 0;
          for (int k = 0; k < 5; ++k) {
            spawn(later, [](int& inner) { inner += 1; }, inout(own));
          }
          wait(in(own));
          v += own;
        },
        inout(i % 2 == 0 ? x : y));
  }
  wait(in(x));
  while (!is_ready(in(y))) {
  }
  CHECK(x == 75);
  CHECK(y == 75);
}

TEST_CASE("one asks in an arena of its own size") {
  int x = 0;
  Arena{.workers = 1}.run([&x] {
    for (int i = 0; i < 20; ++i) {
      spawn(later, [](int& v) { v += 1; }, inout(x));
      while (!is_ready(in(x))) {
      }
    }
  });
  CHECK(x == 20);
}

TEST_CASE("a task asks for a child while more wait before it than a queue holds") {
  constexpr int kCount = 3000;
  int sum = 0;
  for (int i = 0; i < kCount; ++i) {
    spawn(
        later,
        [](int& s) {
          int own = 0;
          spawn(later, [](int& v) { v = 1; }, out(own));
          while (!is_ready(in(own))) {
          }
          spawn(later, [](int& v) { v += 1; }, inout(own));
          spawn([](int& v) { v *= 3; }, inout(own));
          wait(in(own));
          s += own;
        },
        inout(sum));
  }
  while (!is_ready(in(sum))) {
  }
  CHECK(sum == 6 * kCount);
  std::vector<int> sums(kCount);
  for (int& one : sums) {
    spawn(
        later,
        [](int& s) {
          spawn(later, [](int& v) { v = 1; }, inout(s));
          spawn([](int& v) { v += 1; }, inout(s));
        },
        inout(one));
  }
  while (!is_ready(in(sums))) {
  }
  CHECK(sums == std::vector<int>(kCount, 2));
}
