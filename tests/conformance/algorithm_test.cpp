// SPDX-License-Identifier: Apache-2.0
//
// docs/user/algorithms.md: loops, sums, searches, and functions beside each other. Each is compared
// with the standard library's on random numbers, with exceptions, in tasks and in threads.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <myr/algorithm.hpp>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

constexpr std::size_t kSizes[] = {0, 1, 2, 3, 255, 256, 257, 4095, 4096, 4097, 12'288, 100'000};

std::vector<int> some_numbers(std::size_t count, int below = 1000) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::vector<int> made(count);
  for (int& one : made) one = static_cast<int>(random() % static_cast<unsigned>(below));
  return made;
}

// The text of what work() throws.
template <class Work>
std::string thrown_by(const Work& work) {
  try {
    work();
  } catch (const std::exception& exception) {
    return exception.what();
  }
  return "nothing";
}
[[noreturn]] void fail_at(std::size_t place) { throw std::out_of_range(std::to_string(place)); }

std::uint64_t fib_by_invoke(unsigned n) {
  if (n < 2) return n;
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  myr::parallel_invoke([&] { left = fib_by_invoke(n - 1); }, [&] { right = fib_by_invoke(n - 2); });
  return left + right;
}

}  // namespace

TEST_CASE("algorithms for elements") {
  std::vector<double> v = {4, 9, 16, -1, 25};
  myr::parallel_for(v, [](double& x) { x = x < 0 ? x : std::sqrt(x); });
  const double sum = myr::transform_reduce(v, 0.0, std::plus<>(), [](double x) { return x * x; });
  const auto first = myr::find_if(v, [](double x) { return x < 0; });
  CHECK(sum == 4 + 9 + 16 + 1 + 25);
  CHECK(first - v.begin() == 3);
  CHECK(myr::count_if(v, [](double x) { return x > 2; }) == 3);
  CHECK(myr::any_of(v, [](double x) { return x == 5; }));

  std::vector<double> sums(v.size());
  myr::inclusive_scan(v, sums);
  CHECK(sums == std::vector<double>{2, 5, 9, 8, 13});
  myr::exclusive_scan(v, v, 0.0);  // in place
  CHECK(v == std::vector<double>{0, 2, 5, 9, 8});
  myr::sort(v, std::greater<>());
  CHECK(v == std::vector<double>{9, 8, 5, 2, 0});
}

TEST_CASE("algorithms for numbers") {
  std::vector<double> a(1000, 2.0), b(1000, 3.0), c(1000);
  myr::parallel_for(myr::range(1000), myr::in(a, myr::part), myr::in(b, myr::part),
                    myr::out(c, myr::part),
                    [](auto i, auto x, auto y, auto z) { z[i] = x[i] + y[i]; });
  const double product = myr::transform_reduce(myr::range(1000), 0.0, std::plus<>(),
                                               myr::in(a, myr::part), myr::in(c, myr::part),
                                               [](auto i, auto x, auto z) { return x[i] * z[i]; });
  CHECK(product == 10'000);
}

TEST_CASE("functions beside each other") {
  int left = 0;
  std::string right;
  myr::parallel_invoke([&] { left = 1; }, [&] { right = "two"; });
  CHECK(left == 1);
  CHECK(right == "two");
  std::array<int, 4> all{};
  myr::parallel_invoke([&] { return all[0] = 1; }, [&] { return all[1] = 2; },
                       [&] { return all[2] = 3; }, [&] { return all[3] = 4; });
  CHECK(all == std::array{1, 2, 3, 4});
  CHECK(fib_by_invoke(12) == 144);
}

TEST_CASE("a task that calls an algorithm has declared the elements") {
  std::vector<int> v(20'000);
  std::iota(v.rbegin(), v.rend(), 0);
  myr::spawn([](std::vector<int>& all) { myr::sort(all); }, myr::inout(v));
  const auto found = myr::find_if(v, [](int x) { return x == 5; });  // behind the task
  CHECK(found - v.begin() == 5);
}

TEST_CASE("a pipeline of plain tasks") {
  std::vector<int> input(100, 3), output;
  std::size_t next = 0;
  std::array<int, 8> slots{};  // at most so many items under way
  const auto read = [](const std::vector<int>& all, std::size_t& n, int& x) { x = all[n++]; };
  const auto change = [](int& x) { x *= x; };
  const auto write = [](const int& x, std::vector<int>& all) { all.push_back(x); };
  for (std::size_t i = 0; i < input.size(); ++i) {
    int& slot = slots[i % slots.size()];
    myr::spawn(read, myr::in(input), myr::inout(next), myr::out(slot));  // in turn
    myr::spawn(change, myr::inout(slot));                                // up to 8 at a time
    myr::spawn(write, myr::in(slot), myr::inout(myr::object(output)));   // in turn
  }
  myr::wait_all();
  CHECK(output == std::vector<int>(100, 9));
}

TEST_CASE("parallel_for takes what for_each takes, and elements") {
  for (const std::size_t size : kSizes) {
    std::vector<int> v = some_numbers(size);
    std::vector<int> expected = v;
    for (int& x : expected) x = (x + 1) * 2 - 3;
    myr::parallel_for(v, [](int& x) { x += 1; });
    myr::parallel_for(myr::grain(100), std::span(v), [](int& x) { x *= 2; });
    myr::parallel_for(myr::grain(3), myr::range(size), myr::inout(v, myr::part),
                      [](auto i, auto own) { own[i] -= 3; });
    CHECK(v == expected);
    std::atomic<long> sum{0};
    myr::parallel_for(std::as_const(v), [&sum](const int& x) { sum += x; });
    CHECK(sum == std::accumulate(v.begin(), v.end(), 0L));
  }
}

TEST_CASE("sums of elements are those of a plain loop") {
  for (const std::size_t size : kSizes) {
    const std::vector<int> v = some_numbers(size);
    const auto square = [](int x) { return long{x} * x; };
    const long expected = std::transform_reduce(v.begin(), v.end(), 5L, std::plus<>(), square);
    CHECK(myr::transform_reduce(v, 5L, std::plus<>(), square) == expected);
    CHECK(myr::transform_reduce(myr::grain(1000), v, 5L, std::plus<>(), square) == expected);
    CHECK(myr::transform_reduce(v, -1, myr::max_of) ==
          std::accumulate(v.begin(), v.end(), -1, myr::max_of));
    const auto is_odd = [](int x) { return x % 2 != 0; };
    CHECK(myr::count_if(v, is_odd) ==
          static_cast<std::size_t>(std::count_if(v.begin(), v.end(), is_odd)));
  }
}

TEST_CASE("sums are in order, and have the same bits on every machine") {
  const std::vector<int> v = some_numbers(3000, 10);
  std::string expected = "init";
  for (const int x : v) expected += std::to_string(x);
  const auto text = [](int x) { return std::to_string(x); };
  CHECK(myr::transform_reduce(v, std::string("init"), std::plus<>(), text) == expected);
  std::vector<double> parts(100'000);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = 1 / (static_cast<double>(i) + 1);
  std::vector<double> sums(parts.size());
  myr::inclusive_scan(parts, sums);
  CHECK(myr::transform_reduce(parts, 0.0, std::plus<>()) == 0x1.82e27a22f3fb3p+3);
  CHECK(myr::transform_reduce(myr::grain(900), parts, 0.0, std::plus<>()) == 0x1.82e27a22f3fb7p+3);
  CHECK(sums.back() == 0x1.82e27a22f3f9ep+3);
}

TEST_CASE("scans are those of the standard library") {
  for (const std::size_t size : kSizes) {
    const std::vector<int> v = some_numbers(size);
    std::vector<int> expected(size), found(size);
    std::inclusive_scan(v.begin(), v.end(), expected.begin());
    myr::inclusive_scan(v, found);
    CHECK(found == expected);
    std::inclusive_scan(v.begin(), v.end(), expected.begin(), myr::max_of, 500);
    myr::inclusive_scan(myr::grain(7), v, found, myr::max_of, 500);
    CHECK(found == expected);
    std::exclusive_scan(v.begin(), v.end(), expected.begin(), 9);
    found = v;
    myr::exclusive_scan(myr::grain(1), found, found, 9);
    CHECK(found == expected);
  }
  const std::vector<std::string> letters(300, "ab");
  std::vector<std::string> found(300), expected(300);
  std::exclusive_scan(letters.begin(), letters.end(), expected.begin(), std::string("-"));
  myr::exclusive_scan(myr::grain(1), letters, found, std::string("-"));
  CHECK(found == expected);
  std::span<std::string> short_one(found.data(), 299);
  CHECK_THROWS_AS(myr::inclusive_scan(letters, short_one), std::length_error);
}

TEST_CASE("what is found is the first") {
  for (const std::size_t size : kSizes) {
    std::vector<int> v = some_numbers(size);
    for (const int wanted : {0, 500, 999, 1000}) {
      const auto test = [wanted](int x) { return x == wanted; };
      const auto expected = std::find_if(v.begin(), v.end(), test);
      CHECK(myr::find_if(v, test) == expected);
      CHECK(myr::find_if(myr::grain(1000), v, test) == expected);
      CHECK(myr::any_of(v, test) == (expected != v.end()));
      CHECK(myr::none_of(v, test) == (expected == v.end()));
      CHECK(myr::all_of(v, std::not_fn(test)) == (expected == v.end()));
    }
  }
  std::atomic<std::size_t> calls{0};
  const std::vector<int> v(100'000, 1);
  const auto count = [&calls](int x) { return ++calls, x == 1; };
  CHECK(myr::find_if(v, count) == v.begin());
  if (myr_worker_count() == 1) CHECK(calls == 1);
}

TEST_CASE("a search throws what comes before what it finds") {
  std::vector<std::size_t> v(50'000);
  std::iota(v.begin(), v.end(), std::size_t{0});
  const auto fails_at = [](std::size_t a, std::size_t b) {
    return [a, b](std::size_t x) {
      if (x == a || x == b) fail_at(x);
      return x == 20'000;
    };
  };
  CHECK(thrown_by([&] { std::ignore = myr::find_if(v, fails_at(300, 25'000)); }) == "300");
  CHECK(thrown_by([&] { std::ignore = myr::find_if(v, fails_at(19'999, 100)); }) == "100");
  CHECK(myr::find_if(v, fails_at(20'001, 30'000)) - v.begin() == 20'000);
  CHECK(thrown_by([&] { std::ignore = myr::all_of(v, fails_at(1, 2)); }) == "nothing");
}

TEST_CASE("of the exceptions of a call the first counts, and no other's") {
  spawn([] { throw std::runtime_error("the application's"); });
  std::vector<std::size_t> v(50'000);
  std::iota(v.begin(), v.end(), std::size_t{0});
  const auto check = [](std::size_t x) {
    if (x % 10'000 == 7'777) fail_at(x);
    return x;
  };
  CHECK(thrown_by([&] { myr::parallel_for(v, check); }) == "7777");
  CHECK(thrown_by([&] { myr::parallel_for(myr::grain(10), myr::range(50'000UL), check); }) ==
        "7777");
  CHECK(thrown_by([&] {
          std::ignore = myr::transform_reduce(v, std::size_t{0}, std::plus<>(), check);
        }) == "7777");
  const auto add = [&check](std::size_t a, std::size_t b) { return check(b) + a; };
  CHECK(thrown_by([&] { myr::inclusive_scan(std::span(v).first(8'000), v, add); }) == "7777");
  CHECK(thrown_by([&] {
          myr::parallel_invoke([] {}, [] { throw std::runtime_error("second"); },
                               [] { throw std::runtime_error("third"); });
        }) == "second");
  CHECK_THROWS_WITH_AS(wait_all(), "the application's", std::runtime_error);
}

TEST_CASE("a call waits for earlier tasks that use the elements, and is one of the next") {
  std::vector<int> v(20'000), w(20'000);
  const auto fill = [](std::vector<int>& all) { std::iota(all.rbegin(), all.rend(), 0); };
  spawn(fill, out(v));
  CHECK(myr::transform_reduce(v, 0L, std::plus<>()) == 19'999L * 10'000);
  spawn(fill, out(v));
  const auto last = myr::find_if(v, [](int x) { return x == 0; });
  CHECK(last == v.end() - 1);
  spawn(fill, inout(v));
  myr::inclusive_scan(v, w);
  CHECK(w.back() == 19'999 * 10'000);
  spawn(fill, inout(v));
  myr::parallel_for(v, [](int& x) { x += 1; });
  CHECK(v.front() == 20'000);
  spawn([](std::vector<int>& all) { all.assign(30'000, 1); }, inout(v));  // elsewhere
  CHECK(myr::transform_reduce(v, 0, std::plus<>()) == 30'000);
  wait_all();
}

TEST_CASE("a region that is cancelled meanwhile takes nothing from an algorithm that has begun") {
  constexpr std::size_t kSize = 30'000;
  for (int kind = 0; kind < 4; ++kind) {
    Region region = Region::create();
    auto* const first = region.make_array<std::string>(kSize);
    for (std::size_t i = 0; i < kSize; ++i) first[i] = std::to_string(i * 7919 % kSize);
    std::size_t found = 0;
    std::atomic<int> calls{0};
    spawn(
        uses(inout(region)),
        [&, first, region](std::size_t& result) {
          const std::span<std::string> all(first, kSize);
          const auto tick = [&, region] {
            if (++calls == 5'000) region.cancel();
          };
          const auto less = [&](const std::string& a, const std::string& b) {
            tick();
            return a < b;
          };
          const auto length = [&](const std::string& x) {
            tick();
            return x.size();
          };
          std::vector<std::string> to(kSize);
          const auto higher = [&](const std::string& a, const std::string& b) {
            tick();
            return std::max(a, b);
          };
          const auto is_last = [&](const std::string& x) {
            tick();
            return x == "29999";
          };
          if (kind == 0) myr::sort(all, less);
          if (kind == 0) result = std::is_sorted(all.begin(), all.end()) ? 1 : 0;
          if (kind == 1) result = myr::transform_reduce(all, std::size_t{0}, std::plus<>(), length);
          if (kind == 2) myr::inclusive_scan(all, to, higher);
          if (kind == 2) result = to.back() == "9999" ? 1 : 0;
          if (kind == 3) result = *myr::find_if(all, is_last) == "29999" ? 1 : 0;
        },
        out(found));
    wait(in(found));
    CHECK(found == (kind == 1 ? 10 + 180 + 2'700 + 36'000 + 5 * 20'000 : 1));
    region.free();
  }
}

TEST_CASE("of a scan that fails everywhere the first failure comes out") {
  std::vector<int> v(100'000), to(100'000);
  std::iota(v.begin(), v.end(), 0);
  for (const int from : {7, 20'000, 50'000, 99'000}) {
    const auto fail = [from](int a, int b) {
      if (b >= from && b < 100'000) throw std::runtime_error(std::to_string(b));
      return std::max(a, b);
    };
    CHECK_THROWS_WITH(myr::inclusive_scan(v, to, fail), std::to_string(from).c_str());
  }
}

TEST_CASE("what is thrown in a block is what comes first in it") {
  std::vector<int> v(100);
  std::iota(v.begin(), v.end(), 0);
  for (const int from : {1, 2, 7, 8}) {
    const auto fail = [from](int x) {
      if (x >= from) throw std::runtime_error(std::to_string(x));
      return true;
    };
    CHECK_THROWS_WITH(std::ignore = myr::count_if(v, fail), std::to_string(from).c_str());
  }
}

TEST_CASE("algorithms in tasks, inside each other, and in threads") {
  std::vector<std::vector<int>> lists(20, some_numbers(10'000));
  std::vector<long> sums(lists.size());
  const auto work = [](std::vector<int>& list) {
    myr::sort(list);
    myr::inclusive_scan(list, list);
    return myr::transform_reduce(list, 0L, std::plus<>());
  };
  std::vector<int> one = lists[0];
  const long expected = work(one);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    spawn([work](std::vector<int>& list, long& sum) { sum = work(list); }, inout(lists[i]),
          out(sums[i]));
  }
  CHECK(myr::transform_reduce(sums, 0L, std::plus<>()) == 20 * expected);
  wait_all();
  lists.assign(20, some_numbers(10'000));
  myr::parallel_for(myr::grain(1), lists, [&](auto& list) {
    if (work(list) != expected) throw std::runtime_error("a wrong sum");
  });
  if (is_machine("mpi") || is_machine("sim")) return;
  std::vector<std::thread> threads;
  lists.assign(4, some_numbers(10'000));
  for (std::size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] { sums[i] = work(lists[i]); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(std::count(sums.begin(), sums.begin() + 4, expected) == 4);
}

}  // namespace myr::conformance
