// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Scopes".
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

TEST_CASE("a scope waits for its tasks, and gets their exceptions") {
  int x = 0;
  spawn([](int&) { throw std::runtime_error("the application's"); }, inout(x));
  int y = 0;
  Scope scope;
  scope.spawn([](int& p) { p = 1; }, out(y));
  scope.spawn([](int& p) { p += 1, throw std::logic_error("the scope's"); }, inout(y));
  CHECK_THROWS_WITH_AS(scope.wait(), "the scope's", std::logic_error);
  CHECK(y == 2);
  scope.wait();  // nothing is left to throw
  CHECK_THROWS_WITH_AS(wait_all(), "the application's", std::runtime_error);
}

TEST_CASE("a scope waits for the children of its tasks, whatever they use") {
  std::atomic<int> done{0};
  {
    Scope scope;
    for (int i = 0; i < 20; ++i) {
      scope.spawn([&done] {
        for (int j = 0; j < 5; ++j) {
          spawn([&done] {
            spawn([&done] {
              take_time(1000);
              ++done;
            });
          });
        }
      });
    }
    scope.wait();
    CHECK(done == 100);
    scope.spawn([] { spawn([] { spawn([] { throw std::out_of_range("from far below"); }); }); });
    CHECK_THROWS_AS(scope.wait(), std::out_of_range);
  }
}

TEST_CASE("of the exceptions in a scope the first in spawn order counts") {
  Scope scope;
  for (int i = 0; i < 30; ++i) {
    scope.spawn([i] {
      spawn([i] {
        if (i >= 10) throw std::to_string(i);
      });
      throw "later";  // behind that of the child in the serial program
    });
  }
  std::string caught;
  try {
    scope.wait();
  } catch (const char* text) {
    caught = text;
  } catch (const std::string& number) {
    caught = number;
  }
  CHECK(caught == "later");
  wait_all();
}

TEST_CASE("leaving a scope waits, also while an exception passes") {
  std::atomic<int> sum{0};
  const auto work = [&sum] {
    const std::vector<int> numbers(1000, 1);
    Scope scope;
    for (int i = 0; i < 10; ++i) {
      scope.spawn([&] { sum += std::accumulate(numbers.begin(), numbers.end(), 0); });
    }
    throw std::runtime_error("leaves");
  };
  CHECK_THROWS_WITH_AS(work(), "leaves", std::runtime_error);
  CHECK(sum == 10'000);
  wait_all();
}

TEST_CASE("what nobody takes from a scope goes to the next wait for all") {
  {
    Scope scope;
    scope.spawn([] { throw std::runtime_error("not asked for"); });
  }
  CHECK_THROWS_WITH_AS(wait_all(), "not asked for", std::runtime_error);
  wait_all();
}

TEST_CASE("tasks of a scope are ordered as all are") {
  int x = 1;
  Scope scope;
  spawn([](int& p) { p *= 10; }, inout(x));
  scope.spawn([](int& p) { p += 1; }, inout(x));
  spawn([](int& p) { p *= 10; }, inout(x));
  scope.spawn(priority(1), [](const int& p) { CHECK(p == 110); }, in(x));
  scope.wait();
  CHECK(x == 110);
}

TEST_CASE("tasks of a scope spawn in it") {
  std::atomic<int> done{0};
  {
    Scope scope;
    for (int i = 0; i < 10; ++i) {
      scope.spawn([&] {
        for (int j = 0; j < 10; ++j) scope.spawn([&] { ++done; });
      });
    }
    scope.wait();
    CHECK(done == 100);
  }
}

TEST_CASE("loops in a scope") {
  std::vector<int> a(10'000, 1);
  std::atomic<int> below{0};
  Scope scope;
  scope.for_each(Range{0, a.size()}, inout(a, part), [p = a.data()](std::size_t i) { p[i] += 1; });
  scope.for_each(grain(10), Range{0, 100}, [&below](Range some) {
    spawn([&below, some] { below += static_cast<int>(some.size()); });
  });
  scope.wait();
  CHECK(std::accumulate(a.begin(), a.end(), 0) == 20'000);
  CHECK(below == 100);
  spawn([] { throw std::runtime_error("the application's"); });
  scope.for_each(grain(10), Range{0, 1000}, [](std::size_t i) {
    if (i % 300 == 299) throw std::out_of_range(std::to_string(i));
  });
  CHECK_THROWS_WITH_AS(scope.wait(), "299", std::out_of_range);
  CHECK_THROWS_WITH_AS(wait_all(), "the application's", std::runtime_error);
}

TEST_CASE("loops in a scope get what they declare") {
  std::vector<int> a(1000, 1);
  std::vector<int> b(1000, 0);
  Scope scope;
  scope.for_each(Range{0, 1000}, in(a, part), out(b, part),
                 [](auto i, auto from, auto to) { to[i] = from[i] + 1; });
  scope.for_each(grain(10), Range{0, 1000}, inout(b, part),
                 [p = b.data()](auto i) { p[static_cast<std::size_t>(i)] += 1; });
  scope.for_each(Range{0, 1000}, inout(b, part), [](std::size_t i, auto own) {
    if (i % 300 == 299) throw std::out_of_range(std::to_string(i));
    own[i] += 1;
  });
  CHECK_THROWS_WITH_AS(scope.wait(), "299", std::out_of_range);
  CHECK(b[0] == 4);
  scope.for_each(inout(b), [](int& own) { own *= 10; });
  scope.wait();
  CHECK(b[0] == 40);
  scope.for_each(tiles(2, 2), range(-4, 4), range(5), [](int i, int j) {
    if (i >= 0 && j == 3) throw std::out_of_range(std::to_string(10 * i + j));
  });
  CHECK_THROWS_WITH_AS(scope.wait(), "3", std::out_of_range);
  int calls = 0;
  scope.for_each(Range{0, 100}, inout(calls), [](auto, int& count) { count += 1; });
  scope.wait();
  CHECK(calls == 100);
}

TEST_CASE("reductions in a scope") {
  int x = 0;
  spawn([](int& p) { p = 1; }, out(x));
  Scope scope;
  for (int i = 0; i < 10; ++i) scope.spawn([](int& own) { own += 2; }, reduce(x, std::plus<>()));
  scope.wait();
  CHECK(x == 21);
  double most = 0;
  std::vector<int> counts(4, 0);
  scope.for_each(Range{0, 1000}, reduce(x, std::plus<>()), reduce(most, max_of),
                 reduce(counts, std::plus<>(), any_order),
                 [](std::size_t i, int& sum, double& largest, std::vector<int>& own) {
                   sum += 1;
                   largest = std::max(largest, static_cast<double>(i));
                   own[i % 4] += 1;
                 });
  scope.wait();
  CHECK(x == 1021);
  scope.reduce_each(Range{0, 10}, reduce(x, std::plus<>()), [](std::size_t i) { return int(i); });
  scope.reduce_each(range(3), range(3), reduce(x, std::plus<>()),
                    [](auto i, auto j) { return i * j; });
  scope.reduce_each(in(counts), reduce(x, std::plus<>()), [](int count) { return -count; });
  scope.wait();
  CHECK(x == 1021 + 45 + 9 - 1000);
  x = 1021;
  CHECK(most == 999);
  CHECK(counts == std::vector<int>(4, 250));
  const auto picky = [](int a, int b) {
    if (b == 3) throw std::out_of_range("three");
    return a + b;
  };
  spawn([] { throw std::runtime_error("the application's"); });
  for (int i = 0; i < 5; ++i) scope.spawn([i](int& own) { own = i; }, reduce(x, picky, 0));
  CHECK_THROWS_WITH_AS(scope.wait(), "three", std::out_of_range);
  CHECK(x == 1028);
  scope.for_each(grain(100), Range{0, 200},
                 reduce(
                     x, [](int, int) -> int { throw std::logic_error("combining"); }, 0),
                 [](std::size_t, int&) {});
  CHECK_THROWS_WITH_AS(scope.wait(), "combining", std::logic_error);
  scope.reduce_each(grain(1), range(1000), reduce(x, std::plus<>()), [](int i) {
    if (i >= 500) throw std::length_error(std::to_string(i));
    return 0;
  });
  CHECK_THROWS_WITH_AS(scope.wait(), "500", std::length_error);
  CHECK_THROWS_WITH_AS(wait_all(), "the application's", std::runtime_error);
}

TEST_CASE("scopes inside each other, in tasks") {
  long result = 0;
  struct Fib {
    static long of(int n) {
      if (n < 2) return n;
      long left = 0;
      long right = 0;
      Scope scope;
      scope.spawn([n](long& x) { x = of(n - 1); }, out(left));
      scope.spawn([n](long& x) { x = of(n - 2); }, out(right));
      scope.wait();
      return left + right;
    }
  };
  spawn([](long& x) { x = Fib::of(10); }, out(result));
  wait(in(result));
  CHECK(result == 55);
}

}  // namespace myr::conformance

TEST_CASE("a cancelled scope calls no more functions") {
  if (!shares_memory()) return;
  static std::atomic<int> ran;
  ran = 0;
  int x = 0;
  long sum = 0;
  std::vector<int> numbers(1000, 1);
  Scope scope;
  scope.spawn([](int& v) { v = 1; }, inout(x));
  wait(in(x));
  scope.cancel();
  for (int i = 0; i < 100; ++i) scope.spawn([](int& v) { ran += v; }, inout(x));
  scope.spawn([](long& s) { s += 1; }, reduce(sum, std::plus<>()));
  scope.for_each(range(numbers.size()), inout(numbers, part), [](auto i, auto all) { all[i] = 2; });
  scope.wait();
  CHECK(scope.is_cancelled());
  CHECK(ran == 0);
  CHECK(x == 1);
  CHECK(sum == 0);
  CHECK(std::count(numbers.begin(), numbers.end(), 1) == 1000);
  Scope other;
  other.spawn([](int& v) { v += 1; }, inout(x));
  other.wait();
  CHECK(x == 2);
}

TEST_CASE("a task of a scope cancels the scope, and those before it end as always") {
  if (!shares_memory()) return;
  int found = -1;
  std::vector<int> looked(100);
  Scope scope;
  for (int i = 0; i < 100; ++i) {
    scope.spawn(
        [&scope](int& first, int& mark, int number) {
          mark = 1;
          if (number == 30) {
            first = number;
            scope.cancel();
          }
        },
        inout(found), out(looked[static_cast<std::size_t>(i)]), i);
  }
  scope.wait();
  CHECK(found == 30);
  CHECK(std::count(looked.begin(), looked.end(), 1) == 31);
}
