// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Waits" and "Exceptions".
#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <typeinfo>

#include "support.hpp"

namespace myr::conformance {

namespace {

unsigned long fib(unsigned n) {
  if (n < 2) return n;
  unsigned long a = 0;
  unsigned long b = 0;
  spawn([n](unsigned long& result) { result = fib(n - 1); }, out(a));
  spawn([n](unsigned long& result) { result = fib(n - 2); }, out(b));
  wait_all();
  return a + b;
}

// Waits below waits, crosswise over the workers: a worker that took up just any task while it waits
// could find the one that it waits for below it on its own stack, or on that of a worker that waits
// for it.
void zigzag(Region region, unsigned depth, std::atomic<unsigned>& ended) {
  if (depth != 0) {
    for (int i = 0; i < 3; ++i) {
      spawn([depth, &ended](Region r) { zigzag(r, depth - 1, ended); },
            inout(Region::create(region)));
      if (i == 1) wait(inout(region));
    }
    wait_all();
  }
  ++ended;
}

}  // namespace

TEST_CASE("wait returns when the caller may use the memory again") {
  int* x = Region::root().make<int>(1);
  int* y = Region::root().make<int>(1);
  spawn([](int* p) { *p = 2; }, inout(x));
  spawn([](int* p) { *p = 3; }, inout(y));
  wait(in(x));
  CHECK(*x == 2);  // y is not ours yet
  wait(inout(y));
  *y += *x;
  CHECK(*y == 5);
  destroy(x);
  destroy(y);
}

TEST_CASE("wait covers the children of children") {
  int* x = Region::root().make<int>(1);
  spawn([](int* p) { spawn([](int* q) { *q = 5; }, inout(p)); }, inout(x));
  wait(in(x));
  CHECK(*x == 5);
  destroy(x);
}

TEST_CASE("wait on a region covers all in it") {
  Region region = Region::create();
  Region inner = Region::create(region);
  int* x = inner.make<int>(1);
  spawn(uses(inout(inner)), [](int* p) { spawn([](int* q) { *q = 5; }, inout(p)); }, x);
  wait(in(region));
  CHECK(*x == 5);
  region.free();
}

TEST_CASE("wait on several accesses waits for each") {
  int a = 0;
  int b = 0;
  spawn([](int& p) { p = 1; }, out(a));
  spawn([](int& p) { p = 2; }, out(b));
  wait(in(a), in(b));
  CHECK(a + b == 3);
}

TEST_CASE("wait_all waits for all descendants") {
  if (!shares_memory()) return;
  static std::atomic<int> done;
  done = 0;
  spawn([] {
    for (int i = 0; i < 10; ++i) spawn([] { spawn([] { ++done; }); });
  });
  wait_all();
  CHECK(done == 10);
  wait_all();  // nothing to wait for
}

TEST_CASE("a task that waits does not keep its worker from running others") {
  CHECK(fib(16) == 987);
}

TEST_CASE("waits cannot deadlock") {
  std::atomic<unsigned> ended{0};
  Region region = Region::create();
  for (int i = 0; i < 4; ++i) {
    spawn([&ended](Region r) { zigzag(r, 5, ended); }, inout(Region::create(region)));
  }
  wait_all();
  CHECK(ended == 4 * (1 + 3 + 9 + 27 + 81 + 243));
  region.free();
}

TEST_CASE("a task's exception is rethrown by the spawner's next wait_all") {
  int x = 0;
  int y = 0;
  spawn([](int&) { throw std::runtime_error("no luck"); }, inout(x));
  spawn([](int& p) { p = 1; }, inout(y));  // runs regardless
  CHECK_THROWS_WITH_AS(wait_all(), "no luck", std::runtime_error);
  CHECK(y == 1);
  wait_all();  // nothing is left to throw
}

TEST_CASE("a wait for memory does not rethrow, wait_all does, on every machine") {
  int* x = Region::root().make<int>(0);
  int y = 0;
  spawn(
      [](int* p) {
        *p = 1;
        throw std::runtime_error("after x");
      },
      out(x));
  spawn([](int& q) { q = 2; }, out(y));
  wait(in(x));
  CHECK(*x == 1);
  wait(in(y));
  CHECK(y == 2);
  CHECK_THROWS_AS(wait_all(), std::runtime_error);
  destroy(x);
}

TEST_CASE("what was thrown before a wait for memory passes on with the task's end") {
  int x = 0;
  spawn(
      [](int& result) {
        spawn([](int&) { throw std::string("inner"); }, inout(result));
        wait(in(result));
        throw 2;  // serially, inner was thrown before
      },
      inout(x));
  try {
    wait_all();
    CHECK(false);
  } catch (const std::string& thrown) {
    CHECK(thrown == "inner");
  } catch (const RemoteError& thrown) {
    CHECK_FALSE(shares_memory());
    CHECK(thrown.type() == typeid(std::string).name());
  }
}

TEST_CASE("waits for memory do not change which exception comes first") {
  int x = 0;
  for (int i = 0; i < 6; ++i) {
    spawn([i](int&) { throw std::runtime_error(std::to_string(i)); }, inout(x));
    wait(inout(x));  // what earlier ones have thrown is known by now
  }
  CHECK_THROWS_WITH_AS(wait_all(), "0", std::runtime_error);
  wait_all();  // nothing is left to throw
}

// The wait of C leaves the exception where it is. As the outer task only hands the memory on,
// others run its children; where memory is not shared, what these throw later goes to its spawner
// by itself.
TEST_CASE("what has come with C's wait comes before what later children throw") {
  const auto spawn_two = [](int* each) {
    const auto fail = [](const int* p) { throw std::runtime_error(std::to_string(*p)); };
    spawn(fail, in(each, 1));
    myr_wait_all();
    spawn(fail, in(each + 1, 1));
  };
  Region region = Region::create();
  int own[] = {1, 2};
  int* shared = region.make_array<int>(2);
  std::copy_n(own, 2, shared);
  spawn(spawn_two, notransfer(inout(shared, 2)));
  CHECK_THROWS_WITH_AS(wait_all(), "1", std::runtime_error);
  spawn(spawn_two, notransfer(inout(own, 2)));
  CHECK_THROWS_WITH_AS(wait_all(), "1", std::runtime_error);
  region.free();
}

TEST_CASE("what a child throws comes before what its parent throws later") {
  int x = 0;
  spawn(
      [](int& lent) {
        spawn([](int&) { throw std::runtime_error("child"); }, inout(lent));
        wait(inout(lent));
        throw std::runtime_error("parent");
      },
      inout(x));
  CHECK_THROWS_WITH_AS(wait_all(), "child", std::runtime_error);
}

TEST_CASE("of several exceptions the first in spawn order is rethrown") {
  const auto fail = [](int number) { throw std::out_of_range(std::to_string(number)); };
  for (int i = 0; i < 10; ++i) spawn(fail, i);
  std::string caught;
  try {
    wait_all();
  } catch (const std::out_of_range& exception) {
    caught = exception.what();
  }
  CHECK(caught == "0");
  const auto both = [] {
    spawn([] { throw std::runtime_error("child"); });
    throw std::logic_error("parent");
  };
  spawn(both);
  CHECK_THROWS_WITH_AS(wait_all(), "child", std::runtime_error);
  CHECK_THROWS_WITH_AS(async(both).get(), "child", std::runtime_error);
  Scope scope;
  scope.spawn(both);
  CHECK_THROWS_WITH_AS(scope.wait(), "child", std::runtime_error);
  wait_all();  // the others are dropped
}

// Where main has spread the first tasks to other processes, it learns here that they are too small,
// and keeps the others.
TEST_CASE("the first exception counts also if tasks behind it are spread no more") {
  const auto fail = [](int number) { throw std::out_of_range(std::to_string(number)); };
  int small = 0;
  spawn(fail, 1);
  for (int i = 0; i < 40; ++i) spawn([](int& x) { x += 1; }, inout(small));
  wait(inout(small));
  CHECK(small == 40);
  spawn(fail, 2);
  CHECK_THROWS_WITH_AS(wait_all(), "1", std::out_of_range);
}

TEST_CASE("an exception that the spawner does not wait for passes to its own spawner") {
  spawn([] { spawn([] { spawn([] { throw std::runtime_error("from far below"); }); }); });
  CHECK_THROWS_AS(wait_all(), std::runtime_error);
}

TEST_CASE("a plain function may throw, too") {
  myr_spawn_array([](const myr_access*) { throw std::runtime_error("no luck"); }, nullptr, 0);
  CHECK_THROWS_WITH(wait_all(), "no luck");
}

TEST_CASE("a task may catch what its children throw, and throw itself") {
  if (!shares_memory()) return;
  int outcome = 0;
  spawn(
      [](int& result) {
        spawn([](int&) { throw 1; }, inout(result));
        try {
          wait_all();
        } catch (int number) {
          result = number + 1;
          throw result;
        }
      },
      inout(outcome));
  CHECK_THROWS_AS(wait_all(), int);
  CHECK(outcome == 2);
}

TEST_CASE("a task that waits inside a handler still has its own exception afterwards") {
  constexpr int kTasks = 3;
  int* objects[kTasks] = {};
  int caught[kTasks] = {};
  for (int i = 0; i < kTasks; ++i) {
    objects[i] = Region::root().make<int>(0);
    // With one worker, each begins while those before it wait; then the first goes on first.
    spawn(
        [i](int* own, int& seen) {
          spawn([](int*) {}, inout(own));
          try {
            throw i + 1;
          } catch (int) {
            wait(in(own));
            try {
              throw;
            } catch (int number) {
              seen = number;
            }
          }
        },
        inout(objects[i]), out(caught[i]));
  }
  wait_all();
  for (int i = 0; i < kTasks; ++i) {
    CHECK(caught[i] == i + 1);
    destroy(objects[i]);
  }
}

TEST_CASE("a task that waits still has its errno afterwards") {
  constexpr int kTasks = 3;
  int* objects[kTasks] = {};
  int seen[2 * kTasks] = {};
  for (int i = 0; i < kTasks; ++i) {
    objects[i] = Region::root().make<int>(0);
    spawn(
        [i](int* own, int& first, int& second) {
          spawn([](int*) { errno = -1; }, inout(own));
          errno = i + 1;
          wait(in(own));
          first = errno;
          spawn([](int*) { errno = -1; }, inout(own));
          errno = i + 1;
          wait_all();
          second = errno;
        },
        inout(objects[i]), out(seen[2 * i]), out(seen[2 * i + 1]));
  }
  wait_all();
  for (int i = 0; i < kTasks; ++i) {
    CHECK(seen[2 * i] == i + 1);
    CHECK(seen[2 * i + 1] == i + 1);
    destroy(objects[i]);
  }
}

TEST_CASE("tasks behind one that throws run all the same") {
  int* x = Region::root().make<int>(1);
  spawn(
      [](int* p) {
        *p = 2;
        throw std::logic_error("1");
      },
      inout(x));
  spawn([](int* p) { *p *= 10; }, inout(x));
  CHECK_THROWS_AS(wait_all(), std::logic_error);
  CHECK(*x == 20);
  destroy(x);
}

TEST_CASE("closures are destroyed after they ran, also when they throw") {
  static std::atomic<int> alive;
  struct Counted {
    Counted() { ++alive; }
    Counted(const Counted&) { ++alive; }
    Counted(Counted&&) noexcept { ++alive; }
    ~Counted() { --alive; }
  };
  alive = 0;
  for (int i = 0; i < 50; ++i) {
    spawn(
        [counted = Counted()](int number) {
          if (number == 7) throw number;
        },
        i);
  }
  CHECK_THROWS_AS(wait_all(), int);
  CHECK(alive == 0);
}

}  // namespace myr::conformance
