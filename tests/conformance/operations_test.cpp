// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Reductions": the operations whose identities are known, the user's own, those
// of arrays, and results that are combined in any order.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <valarray>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

// What tasks and a loop leave in a variable if all of them leave what value(i) says, of 100.
template <class T, class Op, class Value>
std::pair<T, T> reduced(T begin, Op op, Value value) {
  T by_tasks = begin;
  T by_loop = begin;
  for (int i = 0; i < 100; ++i) {
    spawn([=](T& own) { own = op(own, value(i)); }, reduce(by_tasks, op));
  }
  reduce_each(grain(7), Range{0, 100}, reduce(by_loop, op),
              [=](std::size_t i) { return value(static_cast<int>(i)); });
  wait_all();
  return {by_tasks, by_loop};
}

template <class T>
std::pair<T, T> both(T value) {
  return {value, value};
}

// A table of counts, whose operation knows its identity.
struct Words {
  std::vector<int> counts;
  struct Join {
    Words operator()(Words a, const Words& b) const {
      if (a.counts.size() < b.counts.size()) a.counts.resize(b.counts.size());
      for (std::size_t i = 0; i < b.counts.size(); ++i) a.counts[i] += b.counts[i];
      return a;
    }
    [[nodiscard]] Words identity() const { return {}; }
  };
};

struct Point {
  double x = 0, y = 0;
  friend Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
};

}  // namespace

TEST_CASE("operations with a known identity") {
  CHECK(reduced(1.5, min_of, [](int i) { return i == 60 ? -3.0 : 10.0 + i; }) == both(-3.0));
  CHECK(reduced(1.5, max_of, [](int i) { return i == 60 ? 7.0 : -10.0 - i; }) == both(7.0));
  CHECK(reduced(5000, min_of, [](int i) { return 1000 - i; }) == both(901));
  CHECK(reduced(5000U, max_of, [](int i) { return static_cast<unsigned>(i); }) == both(5000U));
  CHECK(reduced(3, std::bit_or<>(), [](int i) { return i == 3 ? 64 : 0; }) == both(67));
  CHECK(reduced(3U, std::bit_xor<>(), [](int) { return 1U; }) == both(3U));
  CHECK(reduced(0xffULL, std::bit_and<>(), [](int i) { return ~(1ULL << i % 64); }) == both(0ULL));
  CHECK(reduced(true, std::logical_and<>(), [](int i) { return i != 3; }) == both(false));
  CHECK(reduced(true, std::logical_and<>(), [](int) { return true; }) == both(true));
  CHECK(reduced(false, std::logical_or<>(), [](int i) { return i == 3; }) == both(true));
}

TEST_CASE("of infinite numbers, no identity is greater or less") {
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK(reduced(infinite, min_of, [=](int) { return infinite; }) == both(infinite));
  CHECK(reduced(-infinite, max_of, [=](int) { return -infinite; }) == both(-infinite));
}

TEST_CASE("the place of the smallest number, the first of several") {
  using Place = std::pair<double, std::size_t>;
  Place least{100, 0};
  reduce_each(Range{0, 1000}, reduce(least, min_of),
              [](std::size_t i) { return Place(std::fabs(static_cast<double>(i % 100) - 37), i); });
  wait(in(least));
  CHECK(least == Place(0, 37));
}

TEST_CASE("structures, and an operation with an identity of its own") {
  Point sum{1, 2};
  Words words;
  for (int i = 0; i < 40; ++i) {
    spawn(
        [i](Point& own, Words& own_words) {
          own.x += i;
          own.y -= i;
          own_words.counts.resize(static_cast<std::size_t>(1 + i % 8), 1);
        },
        reduce(sum, std::plus<>()), reduce(words, Words::Join{}));
  }
  wait_all();
  CHECK(sum.x == 1 + 780);
  CHECK(sum.y == 2 - 780);
  CHECK(words.counts == std::vector<int>{40, 35, 30, 25, 20, 15, 10, 5});
}

TEST_CASE("a task that changes the size of its copy has failed") {
  std::vector<int> none;
  std::vector<int> three(3);
  spawn([](std::vector<int>& own) { own.push_back(1); }, reduce(none, std::plus<>()));
  CHECK_THROWS_AS(wait_all(), std::length_error);
  spawn([](std::vector<int>& own) { own.resize(2); }, reduce(three, std::plus<>()));
  CHECK_THROWS_AS(wait_all(), std::length_error);
  spawn([](std::vector<int>& own) { own.at(2) = 1; }, reduce(three, std::plus<>()));
  wait_all();
  CHECK(none.empty());
  CHECK(three == std::vector<int>{0, 0, 1});
}

TEST_CASE("arrays are combined element by element") {
  int counts[4] = {10, 20, 30, 40};
  std::array<double, 3> largest{-1, 50, 0};
  std::vector<long> products(5, 2);
  std::valarray<double> sums(1.0, 3);
  for (int i = 0; i < 40; ++i) {
    spawn(
        [i](int(&own)[4], std::array<double, 3>& high, std::vector<long>& own_products,
            std::valarray<double>& own_sums) {
          own[i % 4] += 1;
          high[0] = i;
          high[1] = -i;
          if (i < 3) own_products[static_cast<std::size_t>(i)] *= 10;
          own_sums[1] += i;
        },
        reduce(counts, std::plus<>()), reduce(largest, max_of),
        reduce(products, std::multiplies<>()), reduce(sums, std::plus<>()));
  }
  for_each(grain(10), Range{0, 400},
           reduce(
               counts, [](int a, int b) { return a + b; }, 0),
           [](std::size_t i, int(&own)[4]) { own[i % 4] += 1; });
  long product = 0;
  spawn([](const long* all, long& p) { p = all[0] * all[1] * all[3]; },
        in(products.data(), products.size()), out(product));
  wait_all();
  CHECK(std::equal(counts, counts + 4, std::array{120, 130, 140, 150}.begin()));
  CHECK(largest == std::array<double, 3>{39, 50, 39 * 0});
  CHECK(products == std::vector<long>{20, 20, 20, 2, 2});
  CHECK(product == 800);
  CHECK(sums[1] == 781);
}

TEST_CASE("counts and the place of the smallest number, by tasks") {
  int counts[4] = {};
  std::pair<double, int> least{100, -1};
  for (int i = 0; i < 40; ++i) {
    spawn(
        [i](int(&own)[4], std::pair<double, int>& own_least) {
          own[i % 4] += 1;
          own_least = {std::fabs(i - 17.25), i};
        },
        reduce(counts, std::plus<>()), reduce(least, min_of));
  }
  wait_all();
  CHECK(std::count(counts, counts + 4, 10) == 4);
  CHECK(least == std::pair(0.25, 17));
}

TEST_CASE("a container that its operation combines is a value as others") {
  std::string text = ">";
  for (int i = 0; i < 26; ++i) {
    spawn([i](std::string& own) { own = static_cast<char>('a' + i); }, reduce(text, std::plus<>()));
  }
  wait_all();
  CHECK(text == ">abcdefghijklmnopqrstuvwxyz");
}

TEST_CASE("results in any order are all there, before what comes behind") {
  for (int round = 0; round < 20; ++round) {
    long sum = 5;
    int counts[3] = {};
    for (long i = 0; i < 100; ++i) {
      spawn(
          [i](long& own, int(&own_counts)[3]) {
            own += i;
            own_counts[i % 3] += 1;
          },
          reduce(sum, std::plus<>(), any_order), reduce(counts, std::plus<>(), 0, any_order));
    }
    spawn([](long& s) { s *= 2; }, inout(sum));
    reduce_each(Range{0, 1000}, reduce(sum, std::plus<>(), any_order),
                [](std::size_t i) { return static_cast<long>(i % 2); });
    for_each(Range{0, 99}, reduce(counts, std::plus<>(), any_order),
             [](std::size_t i, int(&own)[3]) { own[i % 3] += 1; });
    wait_all();
    REQUIRE(sum == 2 * (5 + 4950) + 500);
    REQUIRE(std::equal(counts, counts + 3, std::array{67, 66, 66}.begin()));
  }
}

TEST_CASE("results in any order of a step that repeats") {
  long sum = 0;
  Recording step;
  for (int lap = 0; lap < 20; ++lap) {
    step.step([&] {
      for (long i = 0; i < 20; ++i) {
        spawn([i](long& own) { own += i; }, reduce(sum, std::plus<>(), any_order));
      }
      spawn([](long& s) { s -= 190; }, inout(sum));
    });
  }
  wait_all();
  CHECK(sum == 0);
}

TEST_CASE("a task that fails among others, in any order") {
  long sum = 0;
  for (long i = 0; i < 50; ++i) {
    spawn(
        [i](long& own) {
          own += 1;
          if (i == 20) throw std::runtime_error("twenty");
        },
        reduce(sum, std::plus<>(), any_order));
  }
  CHECK_THROWS_WITH_AS(wait_all(), "twenty", std::runtime_error);
  CHECK(sum == 49);
}

}  // namespace myr::conformance
