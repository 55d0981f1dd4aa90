// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Accesses that only order": uses(), each(v) outside of loops, unchecked().
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

struct Counter {
  int count = 0;
  void add(int more) { count += more; }
  [[nodiscard]] int get() const { return count; }
};

// A task that reads all sees what tasks have written that each set one.
template <class List, class Set>
void check_each(List& list, Set set, std::function<int()> sum) {
  for (auto& one : list) {
    spawn(uses(out(each(&one, 1))), [set, &one] {
      take_time(20'000);
      set(one);
    });
  }
  int seen = 0;
  spawn(uses(in(each(list))), [sum](int& s) { s = sum(); }, out(seen));
  for (auto& one : list) {
    spawn(uses(inout(each(&one, 1))), [set, &one] { set(one); });
  }
  wait(in(each(list)));
  CHECK(sum() == 2 * static_cast<int>(list.size()));
  wait(in(seen));
  CHECK(seen == static_cast<int>(list.size()));
}

}  // namespace

TEST_CASE("accesses that only order, as many as the run wants") {
  std::vector<std::vector<int>> lists(5, std::vector<int>(10));
  for (std::vector<int>& list : lists) {
    spawn([](std::vector<int>& own) { std::fill(own.begin(), own.end(), 1); }, inout(list));
  }
  int total = 0;
  spawn(uses(in(each(lists)), inout(total)), [&] {
    for (const std::vector<int>& list : lists) {
      total = std::accumulate(list.begin(), list.end(), total);
    }
  });
  wait(in(total));
  CHECK(total == 50);
}

TEST_CASE("each(v) names what its elements do") {
  std::vector<int> numbers(8);
  check_each(
      numbers, [](int& x) { ++x; },
      [&] { return std::accumulate(numbers.begin(), numbers.end(), 0); });
  Region region = Region::create();
  std::vector<int*> pointers;
  for (int i = 0; i < 8; ++i) pointers.push_back(region.make<int>(0));
  const auto of_pointers = [&] {
    return std::accumulate(pointers.begin(), pointers.end(), 0,
                           [](int s, int* p) { return s + *p; });
  };
  check_each(pointers, [](int* p) { ++*p; }, of_pointers);
  std::vector<std::unique_ptr<int>> owners;
  for (int i = 0; i < 8; ++i) owners.push_back(std::make_unique<int>(0));
  check_each(
      owners, [](std::unique_ptr<int>& p) { ++*p; },
      [&] {
        int sum = 0;
        for (const auto& p : owners) sum += *p;
        return sum;
      });
  std::vector<std::vector<int>> arrays(8, std::vector<int>(1));
  std::vector<std::reference_wrapper<std::vector<int>>> references(arrays.begin(), arrays.end());
  check_each(
      references, [](std::vector<int>& v) { ++v[0]; },
      [&] {
        int sum = 0;
        for (const auto& v : arrays) sum += v[0];
        return sum;
      });
  std::vector<std::span<int>> views;
  std::vector<int> cells(8);
  for (int& cell : cells) views.emplace_back(&cell, 1);
  check_each(
      views, [](std::span<int> s) { ++s[0]; },
      [&] { return std::accumulate(cells.begin(), cells.end(), 0); });
  region.free();
}

TEST_CASE("uses() beside accesses, values, priorities and reductions") {
  Region region = Region::create();
  int* x = region.make<int>(2);
  int sum = 0;
  int found = 0;
  spawn(priority(1), uses(inout(region)), [x](int more) { *x += more; }, 3);
  spawn(
      uses(in(region)),
      [](const int* p, int& own, int& f) {
        own += *p;
        f = *p;
      },
      x, reduce(sum, std::plus<>()), out(found));
  spawn(uses(weak(inout(region)), notransfer(in(each(&found, 1)))),
        [x] { spawn([](int* p) { *p = 7; }, out(x)); });
  spawn(uses(), [] {});
  wait_all();
  CHECK(sum == 5);
  CHECK(found == 5);
  CHECK(*x == 7);
  region.free();
}

TEST_CASE("a task may be a member function of its first argument") {
  Counter counter;
  int result = 0;
  spawn(&Counter::add, inout(counter), 3);
  spawn([](const Counter& c, int& r) { r = c.get(); }, in(counter), out(result));
  wait(in(result));
  CHECK(result == 3);
}

TEST_CASE("a reference that something else orders goes unchecked") {
  int x = 1;
  std::vector<int> v(3, 1);
  int result = 0;
  spawn([](int& y) { y = 5; }, inout(x));
  spawn(
      uses(in(x)), [](const int& y, std::span<int> s, int& r) { r = y + s[0]; },
      unchecked(std::cref(x)), unchecked(std::span(v)), out(result));
  wait(in(result));
  CHECK(result == 6);
}

TEST_CASE("a tile may be handed on without being touched") {
  std::vector<double> matrix(16, 1.0);
  spawn(
      [](Tile<double> t) {
        spawn([](double* row) { row[0] = 2; }, inout(t.data, 2));
        spawn([](double* row) { row[1] = 3; }, inout(t.data + t.stride, 2));
      },
      notransfer(inout(tile(matrix.data(), 2, 2, 4))));
  double sum = 0;
  spawn([](Tile<const double> t, double& s) { s = t(0, 0) + t(1, 1); },
        in(tile(matrix.data(), 2, 2, 4)), out(sum));
  wait(in(sum));
  CHECK(sum == 5);
}

}  // namespace myr::conformance
