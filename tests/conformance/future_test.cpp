// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Futures".
#include <memory>
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
}

}  // namespace

TEST_CASE("coroutines await memory and futures") {
  int x = 0;
  int result = 0;
  spawn([](int& p) { p = 5; }, out(x));
  const Future<int> more = async([] { return 6; });
  add_up(x, more, result);
  CHECK(result == 11);
}
#endif

}  // namespace myr::conformance
