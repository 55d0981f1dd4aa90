// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Futures".
#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#if __has_include(<coroutine>)
#include <coroutine>
#endif

#include "support.hpp"

namespace myr::conformance {

TEST_CASE("a future is what a task returns") {
  int x = 1;
  spawn([](int& p) { p = 20; }, inout(x));
  Future<int> sum = async([](const int& p, int more) { return p + more; }, in(x), 1);
  spawn([](int& p) { p = 0; }, inout(x));
  int copy = 0;
  spawn([](const int& s, int& c) { c = s; }, in(sum), out(copy));  // when the result is there
  CHECK(sum.get() == 21);
  CHECK(sum.get() == 21);
  wait(in(copy));
  CHECK(copy == 21);
  wait_all();
}

TEST_CASE("who takes a result away waits for those that read it") {
  for (int round = 0; round < 5; ++round) {
    Future<std::vector<int>> made = async([] { return std::vector<int>(100, 1); });
    int sum = 0;
    spawn(
        [](const std::vector<int>& all, int& s) {
          take_time(200'000);
          s = std::accumulate(all.begin(), all.end(), 0);
        },
        in(made), out(sum));
    CHECK(std::move(made).get().size() == 100);
    wait(in(sum));
    CHECK(sum == 100);
  }
}

TEST_CASE("what the task of a future throws, its future throws") {
  Future<int> failed = async([]() -> int { throw std::out_of_range("no luck"); });
  bool has_run = false;
  spawn([](int, bool& ran) { ran = true; }, in(failed), inout(has_run));  // fails, too
  CHECK_THROWS_WITH_AS(std::ignore = failed.get(), "no luck", std::out_of_range);
  CHECK_THROWS_WITH_AS(wait_all(), "no luck", std::out_of_range);
  CHECK(!has_run);
}

TEST_CASE("futures of all kinds of results") {
  CHECK(
      async([] { return std::string("a text that no std::string has in itself"); }).get().size() ==
      40);
  CHECK(*async([] { return std::make_unique<int>(5); }).get() == 5);
  int x = 0;
  Future<> done = async([](int& p) { p = 4; }, out(x));
  done.get();
  CHECK(x == 4);
  done.then([] {}).get();
  CHECK(async(
            priority(2), [](std::pair<int, double> p) { return p; }, std::pair(1, 2.5))
            .get()
            .second == 2.5);
  Future<std::unique_ptr<int>> moved = async([] { return std::make_unique<int>(6); });
  CHECK(*std::as_const(moved).get() == 6);
}

TEST_CASE("then and when_all") {
  Future<int> one = async([] { return 1; });
  Future<std::string> text = one.then([](int n) { return std::to_string(n + 1); });
  Future<> none = async([] {});
  CHECK(when_all(one, text, none)
            .then([](const std::tuple<int, std::string, Done>& all) {
              return std::get<0>(all) + static_cast<int>(std::get<1>(all).size());
            })
            .get() == 2);
  Future<int> failed = one.then([](int) -> int { throw std::logic_error("second"); });
  CHECK_THROWS_WITH_AS(std::ignore = when_all(one, failed).get(), "second", std::logic_error);
  CHECK_THROWS_AS(std::ignore = failed.get(), std::logic_error);
  wait_all();  // all have been asked
}

TEST_CASE("a task that names a failed future in uses() fails with it, a wait does not ask") {
  const auto fail = []() -> int { throw std::out_of_range("no luck"); };
  bool has_run = false;
  const auto run = [](bool& ran) { ran = true; };
  {
    Future<int> failed = async(fail);
    spawn(uses(in(failed)), run, inout(has_run));  // fails, too
    CHECK_THROWS_WITH_AS(wait_all(), "no luck", std::out_of_range);
    Scope scope;
    scope.spawn(priority(1), uses(in(failed)), run, inout(has_run));
    CHECK_THROWS_AS(scope.wait(), std::out_of_range);
    Future<int> next = async(uses(in(failed)), [] { return 1; });
    CHECK_THROWS_AS(std::ignore = next.get(), std::out_of_range);
    for_each(range(10), in(failed), inout(has_run), [&has_run](int) { has_run = true; });
    CHECK_THROWS_AS(wait_all(), std::out_of_range);
    int sum = 0;
    scope.reduce_each(range(10), reduce(sum, std::plus<>()), in(failed), [](int i) { return i; });
    CHECK_THROWS_AS(scope.wait(), std::out_of_range);
    CHECK(sum == 0);
    CHECK(!has_run);
  }
  {
    std::vector<Future<int>> futures;
    futures.push_back(async([] { return 1; }));
    futures.push_back(async(fail));
    spawn(uses(in(each(futures))), run, inout(has_run));
    CHECK_THROWS_AS(wait_all(), std::out_of_range);
    CHECK(!has_run);
    spawn(uses(weak(in(each(futures))), weak(in(futures[1]))), run, inout(has_run));
    wait_all();
    CHECK(has_run);
  }
  wait_all();  // all have been asked
  {
    Future<int> failed = async(fail);
    wait(in(failed));  // says that it is there, as of any memory
  }
  CHECK_THROWS_WITH_AS(wait_all(), "no luck", std::out_of_range);
  wait_all();
}

// Else main would wait for a task that waits for main, unless that runs in main's wait.
TEST_CASE("a future that is given away is waited for by nobody here") {
  Spawning spawning;
  spawning.begin();
  std::atomic<bool> is_open{false};
  const auto pass_gate = [&] {
    await([&] { return is_open || spawning.is_below_us(); });
    return 1;
  };
  const auto add = [](int n) { return n + 1; };
  Future<int> chain = async(pass_gate).then(add).then(add);
  Future<std::tuple<int, int>> both = when_all(async(pass_gate), async(pass_gate).then(add));
  spawning.end();
  is_open = true;
  CHECK(chain.get() == 3);
  CHECK(both.get() == std::tuple(1, 2));
}

TEST_CASE("tasks may keep what futures had that are given away") {
  const auto make = [] { return std::make_unique<int>(5); };
  Future<int> sum = when_all(async(make), async(make)).then([](auto&& all) {
    auto [a, b] = std::forward<decltype(all)>(all);
    return *a + *b;
  });
  CHECK(sum.get() == 10);
  CHECK(*async(make)
             .then([](std::unique_ptr<int> own) {
               *own += 1;
               return own;
             })
             .get() == 6);
  CHECK(async(make).then([](const auto& own) { return *own; }).get() == 5);
  CHECK(async(make).then([](auto& own) { return *own; }).get() == 5);
  Future<int> failed =
      async([]() -> int { throw std::out_of_range("no luck"); }).then([](int n) { return n; });
  CHECK_THROWS_AS(std::ignore = std::move(failed).then([](int n) { return n; }).get(),
                  std::out_of_range);
  CHECK_THROWS_AS(std::ignore = Future<int>().then([](int n) { return n; }).get(), BrokenFuture);
  wait_all();
}

TEST_CASE("when_all of a vector of futures") {
  std::vector<Future<int>> futures;
  for (int i = 0; i < 50; ++i) futures.push_back(async([i] { return i; }));
  CHECK(when_all(futures)
            .then([](const std::vector<int>& all) {
              return std::accumulate(all.begin(), all.end(), 0);
            })
            .get() == 49 * 50 / 2);
  futures.push_back(async([]() -> int { throw std::out_of_range("no luck"); }));
  CHECK_THROWS_AS(std::ignore = when_all(std::move(futures)).get(), std::out_of_range);
  std::vector<Future<std::unique_ptr<int>>> owners;
  for (int i = 0; i < 5; ++i) owners.push_back(async([i] { return std::make_unique<int>(i); }));
  CHECK(*when_all(std::move(owners)).get().back() == 4);
  CHECK(when_all(std::vector<Future<>>()).get().empty());
  wait_all();
}

TEST_CASE("a future has what the children of its task throw") {
  Future<int> sum = async([] {
    spawn([] { spawn([] { throw std::runtime_error("child"); }); });
    return 1;
  });
  CHECK_THROWS_WITH_AS(std::ignore = sum.get(), "child", std::runtime_error);
  wait_all();
}

TEST_CASE("nobody loses what the task of a future throws") {
  {
    const Future<int> unasked = async([]() -> int { throw std::runtime_error("unasked"); });
  }
  CHECK_THROWS_WITH_AS(wait_all(), "unasked", std::runtime_error);
  {
    Future<int> replaced = async([]() -> int { throw std::runtime_error("replaced"); });
    replaced = async([] { return 1; });
    CHECK(replaced.get() == 1);
  }
  CHECK_THROWS_WITH_AS(wait_all(), "replaced", std::runtime_error);
  wait_all();
}

TEST_CASE("the end of a future waits for its task") {
  std::vector<int> numbers(1000, 1);
  {
    const Future<> filled = async([&numbers] { numbers.assign(10, 7); });
  }
  CHECK(numbers.size() == 10);
  wait_all();
}

TEST_CASE("a future of a cancelled task, or of none, has no result") {
  CHECK_THROWS_AS(std::ignore = Future<int>().get(), BrokenFuture);
  CHECK(!Future<int>().valid());
  const Region region = Region::create();
  region.cancel();
  Future<int> cancelled = async([](Region) { return 1; }, inout(region));
  CHECK_THROWS_AS(std::ignore = cancelled.get(), BrokenFuture);
  region.free();
}

TEST_CASE("a tree of futures") {
  struct Fib {
    static long of(int n) {
      if (n < 2) return n;
      Future<long> left = async([n] { return of(n - 1); });
      Future<long> right = async([n] { return of(n - 2); });
      return left.get() + right.get();
    }
  };
  CHECK(Fib::of(10) == 55);
  std::vector<Future<int>> all;
  for (int i = 0; i < 200; ++i) all.push_back(async([](int n) { return n; }, i));
  int sum = 0;
  for (const Future<int>& one : all) spawn([](int n, int& s) { s += n; }, in(one), inout(sum));
  wait(in(sum));
  CHECK(sum == 199 * 200 / 2);
}

#if defined(__cpp_lib_coroutine)
namespace {

// The least that a coroutine needs; any other will do.
struct Flow {
  struct promise_type {
    Flow get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
};

Flow add_up(int& x, const Future<int>& more, int& result) {
  co_await ready(in(x));
  result = x;
  result += co_await more;
  result += *co_await async([] { return std::make_unique<int>(7); });
  co_await async([] { Event::create().complete(); });
}

}  // namespace

TEST_CASE("coroutines await memory and futures") {
  int x = 0;
  int result = 0;
  spawn([](int& p) { p = 5; }, out(x));
  const Future<int> more = async([] { return 6; });
  add_up(x, more, result);
  CHECK(result == 18);
}
#endif

}  // namespace myr::conformance
