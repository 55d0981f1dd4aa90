// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Loops": over the elements of what an access names.
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <valarray>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

TEST_CASE("each element once, as it is declared") {
  for (const std::size_t count : {0, 1, 7, 1000, 50'000}) {
    std::vector<int> v(count, 1);
    for_each(inout(v), [](int& x) { x += 1; });
    for_each(grain(64), inout(v), [](auto& x) { x *= 10; });
    long sum = 0;
    reduce_each(in(v), reduce(sum, std::plus<>()), [](const int& x) { return long{x}; });
    wait_all();
    CHECK(sum == 20 * static_cast<long>(count));
  }
}

TEST_CASE("elements of everything that has them side by side") {
  int plain[50] = {};
  std::array<int, 50> array{};
  std::vector<int> v(50);
  std::valarray<int> values(50);
  std::string text(50, 'a');
  std::vector<int> numbers(100);
  const auto set = [](int& x) { x = 3; };
  for_each(out(plain), set);
  for_each(out(array), set);
  for_each(out(std::span(v)), set);
  for_each(out(values), set);
  for_each(inout(text), [](char& c) { ++c; });
  for_each(out(std::span(numbers).subspan(10, 20)), set);
  for_each(inout(cube(numbers.data() + 40, 2, 3, 4)), [](int& x) { x += 5; });
  int sum = 0;
  for_each(grain(3), in(plain), reduce(sum, std::plus<>()),
           [](const int& x, int& own) { own += x; });
  for_each(in(array), reduce(sum, std::plus<>()), [](int x, int& own) { own += x; });
  for_each(in(std::span<const int>(v)), reduce(sum, std::plus<>()),
           [](const int& x, int& own) { own += x; });
  reduce_each(in(values), reduce(sum, std::plus<>()), [](int x) { return x; });
  reduce_each(in(numbers), reduce(sum, std::plus<>()), [](auto& x) { return x; });
  wait_all();
  CHECK(sum == 4 * 50 * 3 + 20 * 3 + 24 * 5);
  CHECK(text == std::string(50, 'b'));
}

TEST_CASE("tasks and other loops wait for the elements that they use") {
  std::vector<int> v(4000, 1), w(4000);
  spawn([](int& x) { x = 100; }, inout(v[17]));
  for_each(inout(v), [](int& x) { x += 1; });
  for_each(range(4000), in(v, part), out(w, part), [](auto i, auto x, auto y) { y[i] = 2 * x[i]; });
  int seen = 0;
  spawn([](const int& x, int& s) { s = x; }, in(w[17]), out(seen));
  for_each(inout(w), in(seen), [](int& x, const int& s) { x += s; });
  wait(in(w));
  CHECK(seen == 202);
  CHECK(w[17] == 404);
  CHECK(w[3999] == 4 + 202);
  wait_all();
}

TEST_CASE("vectors that are elements, and iterations beside each other in any order") {
  std::vector<std::vector<int>> lists(20, std::vector<int>(10, 1));
  for_each(grain(3), inout(lists), [](std::vector<int>& list) { list.assign(5, 2); });
  int sum = 0;
  reduce_each(in(lists), reduce(sum, std::plus<>()), [](const std::vector<int>& list) {
    return std::accumulate(list.begin(), list.end(), 0);
  });
  std::vector<std::atomic<int>> counters(30);
  for_each(concurrent(counters), [](std::atomic<int>& c) { ++c; });
  for_each(concurrent(counters), [](std::atomic<int>& c) { ++c; });
  wait_all();
  CHECK(sum == 20 * 5 * 2);
  CHECK(counters[29] == 2);
}

}  // namespace myr::conformance
