// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Loops".
#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

TEST_CASE("a loop runs each iteration once") {
  for (const std::size_t count : {0, 1, 2, 7, 1000, 100'000}) {
    std::vector<int> hits(count);
    for_each(Range{0, count}, inout(hits, part), [h = hits.data()](std::size_t i) { h[i] += 1; });
    wait_all();
    CHECK(std::count(hits.begin(), hits.end(), 1) == static_cast<long>(count));
  }
}

TEST_CASE("a stencil's sweeps follow each other part by part") {
  constexpr std::size_t kSize = 3000;
  constexpr int kSteps = 20;
  std::vector<double> a(kSize), b(kSize);
  std::iota(a.begin(), a.end(), 0.0);
  a[kSize / 2] = -1e6;
  b = a;
  std::vector<double> x = a, y = b;
  for (int step = 0; step < kSteps; ++step) {
    for_each(range(1, kSize - 1), in(a, part.grow(1)), out(b, part),
             [](auto i, auto from, auto to) { to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3; });
    std::swap(a, b);  // the vectors' names, not their elements
  }
  wait_all();
  for (int step = 0; step < kSteps; ++step) {
    for (std::size_t i = 1; i < kSize - 1; ++i) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
    std::swap(x, y);
  }
  CHECK(a == x);
  CHECK(b == y);
}

TEST_CASE("iterations that use each other's memory run in order") {
  constexpr std::size_t kSize = 5000;
  std::vector<unsigned> a(kSize, 1), x(kSize, 1);
  for (int sweep = 0; sweep < 5; ++sweep) {
    for_each(range(1, kSize), inout(a, part.grow(1, 0)),
             [](auto i, auto own) { own[i] = 3 * own[i] + own[i - 1]; });
    for (std::size_t i = 1; i < kSize; ++i) x[i] = 3 * x[i] + x[i - 1];
  }
  wait(in(*a.data()), in(a[kSize - 1]));
  wait_all();
  CHECK(a == x);
}

TEST_CASE("rows of a matrix, and a body for a range") {
  constexpr std::size_t kRows = 60, kColumns = 40;
  std::vector<int> matrix(kRows * kColumns, 1);
  const Tile<int> inner = tile(matrix.data() + 1, kRows, kColumns - 2, kColumns);
  for_each(grain(3), Range{0, kRows}, inout(inner, part), [=](Range rows) {
    for (const std::size_t row : rows) {
      for (std::size_t column = 0; column < inner.columns; ++column) {
        inner(row, column) += static_cast<int>(row);
      }
    }
  });
  wait(in(inner));
  for (std::size_t row = 0; row < kRows; ++row) {
    CHECK(matrix[row * kColumns] == 1);
    CHECK(matrix[row * kColumns + 1] == 1 + static_cast<int>(row));
    CHECK(matrix[row * kColumns + kColumns - 1] == 1);
  }
  wait_all();
}

TEST_CASE("objects and regions of a vector") {
  constexpr std::size_t kCount = 50;
  std::vector<int*> objects;
  std::vector<Region> regions;
  std::vector<int*> inside;
  for (std::size_t i = 0; i < kCount; ++i) {
    objects.push_back(Region::root().make<int>(static_cast<int>(i)));
    regions.push_back(Region::create());
    inside.push_back(regions.back().make<int>(0));
  }
  for_each(Range{0, kCount}, in(each(objects), part), inout(each(regions), part),
           [o = objects.data(), r = regions.data(), s = inside.data()](std::size_t i) {
             *s[i] = *o[i] + *r[i].make<int>(1);
           });
  spawn([](int* p) { *p = 0; }, inout(objects[7]));
  wait(in(regions[7]), in(objects[7]));
  CHECK(*inside[7] == 8);
  CHECK(*objects[7] == 0);
  wait_all();
  for (std::size_t i = 0; i < kCount; ++i) CHECK(*inside[i] == static_cast<int>(i) + 1);
}

TEST_CASE("a whole region and memory of other kinds among many objects") {
  constexpr std::size_t kCount = 200;
  const Region read = Region::create(), written = Region::create();
  std::vector<int*> from;
  std::vector<int*> to;
  std::vector<int> factors(kCount, 2);
  for (std::size_t i = 0; i < kCount; ++i) {
    from.push_back(read.make<int>(0));
    to.push_back(written.make<int>(0));
  }
  const Range all{0, kCount};
  for (int round = 0; round < 10; ++round) {
    for_each(all, inout(each(from), part), [f = from.data()](std::size_t i) { *f[i] += 1; });
    for_each(all, in(read), in(factors, part), inout(each(to), part),
             [f = from.data(), t = to.data(), x = factors.data()](std::size_t i) {
               *t[i] += x[i] * (*f[i] + *f[kCount - 1 - i]);
             });
    spawn([](int* f) { *f += 1; }, inout(from[7]));
    spawn([](int& x) { x += 1; }, inout(factors[9]));
  }
  wait_all();
  const auto sum = [](int first) { return 2 * (10 * first + 45); };  // 2 (first + 0 ... + 9)
  CHECK(*to[0] == 2 * sum(1));
  CHECK(*to[7] == sum(1) + sum(1) + 2 * 45);  // one more each round
  CHECK(*from[7] == 20);
  CHECK(factors[9] == 12);
}

TEST_CASE("a footprint by a function, and whole objects beside it") {
  std::vector<int> pairs(200);
  int offset = 5;
  for_each(Range{0, 100}, in(offset),
           by_part([p = pairs.data()](Range r) { return out(p + 2 * r.from, 2 * r.size()); }),
           [p = pairs.data(), &offset](std::size_t i) {
             p[2 * i] = offset;
             p[2 * i + 1] = static_cast<int>(i);
           });
  spawn([](int& o) { o = 6; }, inout(offset));
  wait_all();
  for (int i = 0; i < 100; ++i) CHECK(pairs[2 * static_cast<std::size_t>(i)] == 5);
  CHECK(pairs[199] == 99);
}

TEST_CASE("reductions over the iterations") {
  std::vector<long> numbers(10'000);
  std::iota(numbers.begin(), numbers.end(), 1);
  long sum = 100;
  long largest = 0;
  reduce_each(Range{0, numbers.size()}, reduce(sum, std::plus<>()), in(numbers, part),
              [p = numbers.data()](std::size_t i) { return p[i]; });
  for_each(Range{0, numbers.size()}, in(numbers, part),
           reduce(
               largest, [](long a, long b) { return std::max(a, b); }, 0L),
           [p = numbers.data()](Range r, long& own) {
             for (const std::size_t i : r) own = std::max(own, p[i]);
           });
  long copy = 0;
  spawn([](const long& s, long& c) { c = s; }, in(sum), out(copy));
  wait_all();
  CHECK(copy == 100 + 10'000L * 10'001 / 2);
  CHECK(largest == 10'000);
}

TEST_CASE("commutative and concurrent loops") {
  std::atomic<int> hits{0};
  int sum = 0;
  for_each(Range{0, 500}, concurrent(hits), [&](std::size_t) { ++hits; });
  for_each(Range{0, 500}, commutative(sum), [&](std::size_t i) { sum += static_cast<int>(i); });
  for_each(Range{500, 1000}, commutative(sum), [&](std::size_t i) { sum += static_cast<int>(i); });
  wait_all();
  CHECK(hits == 500);
  CHECK(sum == 1000 * 999 / 2);
}

TEST_CASE("of what the bodies throw, the first in the serial program counts") {
  std::vector<int> numbers(4000);
  for_each(Range{0, numbers.size()}, out(numbers, part), [p = numbers.data()](std::size_t i) {
    if (i % 700 == 650) throw std::runtime_error(std::to_string(i));
    p[i] = 1;
  });
  std::string caught;
  try {
    wait_all();
  } catch (const std::runtime_error& thrown) {
    caught = thrown.what();
  }
  CHECK(caught == "650");
  CHECK(std::count(numbers.begin(), numbers.begin() + 650, 1) == 650);
  CHECK(numbers[650] == 0);
}

TEST_CASE("short loops, each alone between two waits, until one is not") {
  constexpr int kRounds = 300, kSize = 16;
  std::vector<int> numbers(kSize);
  int caught = 0;
  for (int round = 0; round < kRounds; ++round) {
    for_each(Range{0, kSize}, inout(numbers, part), [p = numbers.data(), round](std::size_t i) {
      p[i] += 1;
      if (round % 100 == 50 && i == kSize - 1) throw round;
      if (round % 100 == 70) spawn([](int& last) { last += 10; }, inout(p[i]));
    });
    if (round % 100 == 80) spawn([](int& first) { first *= 2; }, inout(numbers[0]));
    try {
      wait_all();
    } catch (int which) {
      caught += which;
    }
  }
  CHECK(caught == 50 + 150 + 250);
  CHECK(numbers[1] == kRounds + 3 * 10);
  int first = 0;
  for (int round = 0; round < kRounds; ++round) {
    first += round % 100 == 70 ? 11 : 1;
    if (round % 100 == 80) first *= 2;
  }
  CHECK(numbers[0] == first);
}

TEST_CASE("bodies spawn, wait and loop") {
  constexpr std::size_t kRows = 40, kColumns = 300;
  std::vector<int> matrix(kRows * kColumns);
  std::vector<int> sums(kRows);
  for_each(Range{0, kRows}, inout(tile(matrix.data(), kRows, kColumns, kColumns), part),
           out(sums, part), [m = matrix.data(), s = sums.data()](std::size_t row) {
             int* const numbers = m + row * kColumns;
             for_each(Range{0, kColumns}, out(numbers, part),
                      [=](std::size_t i) { numbers[i] = static_cast<int>(row + i); });
             spawn([](int* last) { *last += 1; }, inout(numbers + kColumns - 1, 1));
             wait(in(numbers, kColumns));
             s[row] = std::accumulate(numbers, numbers + kColumns, 0);
           });
  wait_all();
  for (std::size_t row = 0; row < kRows; ++row) {
    CHECK(sums[row] == static_cast<int>(kColumns * row + kColumns * (kColumns - 1) / 2 + 1));
  }
}

TEST_CASE("a loop in a task, whose spawner does not wait for it") {
  Region region = Region::create();
  auto* numbers = region.make_array<long>(2000);
  spawn(
      uses(inout(region)),
      [](long* p) {
        for_each(Range{0, 2000}, inout(p, part), [=](std::size_t i) { p[i] = 2; });
        for_each(Range{0, 2000}, inout(p, part), [=](std::size_t i) { p[i] *= 3; });
      },
      numbers);
  long sum = 0;
  spawn(
      uses(in(region)), [](const long* p, long& s) { s = std::accumulate(p, p + 2000, 0L); },
      numbers, out(sum));
  wait(in(sum));
  CHECK(sum == 12'000);
}

TEST_CASE("a body with its captures lives until the last iteration, and not longer") {
  struct Counted {
    explicit Counted(std::atomic<int>& live) : count(&live) { ++*count; }
    Counted(const Counted& other) : count(other.count) { ++*count; }
    Counted& operator=(const Counted&) = delete;
    ~Counted() { --*count; }
    std::atomic<int>* count;
  };
  static std::atomic<int> live;
  live = 0;
  std::vector<int> seen(1000);
  {
    const Counted counted(live);
    for_each(Range{0, seen.size()}, out(seen, part),
             [counted, p = seen.data()](std::size_t i) { p[i] = *counted.count; });
  }
  wait_all();
  await([] { return live == 0; });
  CHECK(std::count(seen.begin(), seen.end(), 0) == 0);
}

}  // namespace myr::conformance
