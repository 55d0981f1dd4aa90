// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Reductions": the result is that of the serial program, to the last bit,
// whatever the operations are, and where they stand.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

// Neither commutative nor associative.
struct Append {
  long operator()(long a, long b) const { return (3 * a + b) % 1'000'003; }
};

// What reduce_each() is to leave in `sum`.
template <class Body>
double sum_in_blocks(double sum, std::size_t count, std::size_t grain, Body body) {
  const std::size_t length = std::max(grain, (count + 1023) / 1024);
  for (std::size_t from = 0; from < count; from += length) {
    double own = 0;
    for (std::size_t i = from; i < std::min(from + length, count); ++i) own += body(i);
    sum += own;
  }
  return sum;
}

// Sums of such numbers depend on their order.
double uneven(std::size_t i) { return 1.0 / static_cast<double>(1 + i % 977) + 1e-9 * i; }

}  // namespace

TEST_CASE("reductions find the sum over all tasks") {
  int sum = 1000;
  double largest = 0;
  for (int i = 1; i <= 100; ++i) {
    spawn(
        [i](int& own, double& high) {
          own += i;
          high = i % 37;
        },
        reduce(sum, std::plus<>()),
        reduce(largest, [](double a, double b) { return std::max(a, b); }, 0.0));
  }
  int copy = 0;
  spawn([](int& c, const int& s) { c = s; }, out(copy), in(sum));
  wait_all();
  CHECK(copy == 6050);
  CHECK(largest == 36);
}

TEST_CASE("reductions of a variable are combined in the order of their spawns") {
  long x = 1;
  long serial = 1;
  for (long i = 0; i < 300; ++i) {
    spawn([i](long& own) { own += i; }, reduce(x, Append{}, 0L));
    serial = Append{}(serial, i);
  }
  wait_all();
  CHECK(x == serial);
}

TEST_CASE("operations that differ are applied in the order of the spawns") {
  double x = 1;
  spawn([](double& own) { own += 10; }, reduce(x, std::plus<>()));
  spawn([](double& own) { own *= 3; }, reduce(x, std::multiplies<>()));
  spawn([](double& own) { own += 4; }, reduce(x, std::plus<>()));
  wait(in(x));
  CHECK(x == (1 + 10) * 3 + 4);
}

TEST_CASE("different operations, at different places, follow each other as in the program") {
  for (int round = 0; round < 30; ++round) {
    long x = 1;
    spawn([](long& own) { own += 10; }, reduce(x, std::plus<>()));
    spawn([](long& own) { own *= 3; }, reduce(x, std::multiplies<>()));
    spawn([](long& own) { own += 4; }, reduce(x, [](long a, long b) { return a + b; }, 0L));
    spawn([](long& y) { y *= 10; }, inout(x));
    spawn([](long& own) { own += 7; }, reduce(x, [](long a, long b) { return a + b; }, 0L));
    reduce_each(Range{0, 100}, reduce(x, std::plus<>()), [](std::size_t) { return 1; });
    spawn([](long& own) { own = 5; }, reduce(x, std::plus<>()));
    wait(in(x));
    REQUIRE(x == 370 + 7 + 100 + 5);
  }
}

TEST_CASE("a reduction beside concurrent tasks loses nothing") {
  long x = 0;
  for (int i = 0; i < 200; ++i) {
    spawn([](long& y) { std::atomic_ref<long>(y) += 1; }, concurrent(x));
    spawn([](long& own) { own += 1; }, reduce(x, std::plus<>()));
  }
  wait_all();
  CHECK(x == 400);
}

TEST_CASE("sums of floating-point numbers have the same bits everywhere") {
  double x = 0.1;
  double serial = 0.1;
  float small = 0;
  float serial_small = 0;
  for (std::size_t i = 0; i < 500; ++i) {
    spawn(
        [i](double& own, float& own_small) {
          own += uneven(i);
          own_small = static_cast<float>(uneven(i));
        },
        reduce(x, std::plus<>()), reduce(small, std::plus<>()));
    serial += uneven(i);
    serial_small += static_cast<float>(uneven(i));
  }
  wait_all();
  CHECK(x == serial);
  CHECK(small == serial_small);
}

TEST_CASE("so have those of loops, whose blocks follow from their length and grain") {
  for (const std::size_t count : {0, 1, 7, 1000, 1024, 1025, 5000, 100'003}) {
    for (const std::size_t least : {0, 1, 100, 4096}) {
      double x = 0.1;
      double y = 0.1;
      if (least == 0) {
        reduce_each(Range{0, count}, reduce(x, std::plus<>()), uneven);
      } else {
        reduce_each(grain(least), Range{0, count}, reduce(x, std::plus<>()), uneven);
      }
      for_each(grain(least), Range{3, 3 + count}, reduce(y, std::plus<>()),
               [](Range some, double& own) {
                 for (const std::size_t i : some) own += uneven(i - 3);
               });
      wait_all();
      REQUIRE(x == sum_in_blocks(0.1, count, least, uneven));
      REQUIRE(y == sum_in_blocks(0.1, count, std::max<std::size_t>(least, 1), uneven));
    }
  }
}

TEST_CASE("a loop of several reductions, between tasks that use the variables") {
  constexpr std::size_t kSize = 3000;
  std::vector<double> a(kSize, 0);
  double sum = 0;
  long order = 0;
  double serial = 0;
  long serial_order = 0;
  for (int step = 1; step <= 5; ++step) {
    for_each(Range{0, kSize}, out(a, part),
             [p = a.data(), step](std::size_t i) { p[i] = uneven(i) * step; });
    for_each(grain(50), Range{0, kSize}, reduce(sum, std::plus<>()), in(a, part),
             reduce(order, Append{}, 0L),
             [p = a.data()](std::size_t i, double& own, long& own_order) {
               own += p[i];
               own_order = Append{}(own_order, static_cast<long>(i));
             });
    spawn([](double& s) { s /= 2; }, inout(sum));
    serial = sum_in_blocks(serial, kSize, 50, [&](std::size_t i) { return uneven(i) * step; }) / 2;
    for (std::size_t from = 0; from < kSize; from += 50) {
      long own = 0;
      for (std::size_t i = from; i < from + 50; ++i) own = Append{}(own, static_cast<long>(i));
      serial_order = Append{}(serial_order, own);
    }
  }
  wait_all();
  CHECK(sum == serial);
  CHECK(order == serial_order);
}

TEST_CASE("a task that fails is left out of a reduction") {
  long product = 1;
  for (long i = 1; i <= 5; ++i) {
    spawn(
        [i](long& own) {
          own *= i;
          if (i == 3) throw i;
        },
        reduce(product, std::multiplies<>()));
  }
  CHECK_THROWS_AS(wait_all(), long);
  CHECK(product == 40);
}

TEST_CASE("of a loop that fails, what comes before the first failure is combined") {
  long x = 5;
  for_each(grain(10), Range{0, 900}, reduce(x, std::plus<>()), [](std::size_t i, long& own) {
    own += 1;
    if (i == 437 || i == 800) throw std::out_of_range(std::to_string(i));
  });
  CHECK_THROWS_WITH_AS(wait_all(), "437", std::out_of_range);
  CHECK(x == 435);
}

namespace {

struct Limited {
  long operator()(long a, long b) const {
    if (b == 13) throw std::runtime_error("overflow");
    return a + b;
  }
};

// Cannot become 13.
struct Superstitious {
  int value = 0;
  Superstitious() = default;
  explicit Superstitious(int number) : value(number) {}
  Superstitious(const Superstitious&) = default;
  Superstitious& operator=(const Superstitious& other) {
    if (other.value == 13) throw std::domain_error("thirteen");
    value = other.value;
    return *this;
  }
  friend Superstitious operator+(const Superstitious& a, const Superstitious& b) {
    return Superstitious(a.value + b.value);
  }
};

}  // namespace

TEST_CASE("an operation that throws is a failure of its task, and the others go on") {
  long sum = 0;
  for (long i = 0; i < 20; ++i) {
    spawn([i](long& own) { own = i; }, reduce(sum, Limited{}, 0L));
  }
  CHECK_THROWS_WITH_AS(wait_all(), "overflow", std::runtime_error);
  CHECK(sum == 190 - 13);
  spawn([](long& own) { own = 1; }, reduce(sum, Limited{}, 0L));
  wait_all();
  CHECK(sum == 190 - 12);
  for_each(grain(1), Range{0, 20}, reduce(sum, Limited{}, 0L),
           [](std::size_t i, long& own) { own = static_cast<long>(i); });
  CHECK_THROWS_WITH_AS(wait_all(), "overflow", std::runtime_error);
  CHECK(sum == 190 - 12 + 78);  // up to the block that could not be combined
}

TEST_CASE("so is a value that cannot be copied") {
  Superstitious x;
  for (const int number : {6, 7, 1, 20}) {
    spawn([number](Superstitious& own) { own.value = number; }, reduce(x, std::plus<>()));
  }
  CHECK_THROWS_AS(wait_all(), std::domain_error);
  CHECK(x.value == 6 + 1 + 20);
}

TEST_CASE("an operation may wait for tasks of its own") {
  const auto merge = [](long a, long b) {
    long parts[4] = {};
    for (long& one : parts) spawn([](long& p) { p = 1; }, out(one));
    wait(in(parts));
    for (const long one : parts) b += one - 1;
    return 2 * a % 1'000'003 + b;
  };
  long sum = 0;
  long serial = 0;
  for (int i = 0; i < 100; ++i) {
    spawn([](long& own) { own += 1; }, reduce(sum, merge, 0L));
    serial = 2 * serial % 1'000'003 + 1;
  }
  reduce_each(Range{0, 50}, reduce(sum, std::plus<>()), [](std::size_t) { return 1; });
  spawn([](long& own) { own += 1; }, reduce(sum, merge, 0L));
  wait_all();
  CHECK(sum == 2 * (serial + 50) % 1'000'003 + 1);
}

TEST_CASE("tasks reduce into what their parent reduces") {
  double total = 0;
  double serial = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    spawn(
        [i](double& own) {
          for (std::size_t j = 0; j < 10; ++j) {
            spawn([=](double& o) { o += uneven(100 * i + j); }, reduce(own, std::plus<>()));
          }
          reduce_each(Range{0, 30}, reduce(own, std::plus<>()),
                      [i](std::size_t j) { return uneven(i + j); });
          wait(in(own));
        },
        reduce(total, std::plus<>()));
    double own = 0;
    for (std::size_t j = 0; j < 10; ++j) own += uneven(100 * i + j);
    for (std::size_t j = 0; j < 30; ++j) own += uneven(i + j);
    serial += own;
  }
  wait_all();
  CHECK(total == serial);
}

// A binary tree: each inner task has two children, on its own value.
template <class Add>
void add_tree(double& own, int depth, Add add) {
  own += 1;
  if (depth == 0) return take_time(20'000);
  for (int i = 0; i < 2; ++i) add(own, depth - 1);
}
void reduce_tree(double& own, int depth) {
  add_tree(own, depth,
           [](double& x, int left) { spawn(reduce_tree, reduce(x, std::plus<>()), left); });
}
void write_tree(double& own, int depth) {
  add_tree(own, depth, [](double& x, int left) { spawn(write_tree, inout(x), left); });
}

TEST_CASE("children that use a task's own value end before it is combined") {
  double x = 0;
  spawn(reduce_tree, reduce(x, std::plus<>()), 5);
  spawn(write_tree, reduce(x, std::plus<>()), 5);
  wait(in(x));
  CHECK(x == 2 * 63);
  std::vector<int> counts(64);
  for (int i = 0; i < 8; ++i) {
    spawn(
        [](std::vector<int>& own) {
          for (int& one : own) {
            spawn(
                [](int& n) {
                  take_time(1000);
                  n += 1;
                },
                inout(one));
          }
        },
        reduce(counts, std::plus<>()));
  }
  wait(in(counts));
  CHECK(counts == std::vector<int>(64, 8));
  for_each(grain(10), range(100), reduce(x, std::plus<>()), [](int i, double& own) {
    spawn(
        [i](double& one) {
          take_time(1000);
          one += i;
        },
        inout(own));
  });
  spawn(
      [](double& own) {
        spawn([](double& one) { take_time(20'000), one += 1; }, inout(own));
        throw std::runtime_error("left out");
      },
      reduce(x, std::plus<>()));
  CHECK_THROWS_AS(wait_all(), std::runtime_error);
  CHECK(x == 2 * 63 + 4950);
}

TEST_CASE("the parts of a large value") {
  struct Histogram {
    std::vector<int> counts = std::vector<int>(16);
    std::string order;
  };
  const auto add = [](Histogram a, const Histogram& b) {
    for (std::size_t i = 0; i < a.counts.size(); ++i) a.counts[i] += b.counts[i];
    a.order += b.order;
    return a;
  };
  Histogram all;
  for (int i = 0; i < 26; ++i) {
    spawn(
        [i](Histogram& own) {
          own.counts[static_cast<std::size_t>(i % 16)] += 1;
          own.order = static_cast<char>('a' + i);
        },
        reduce(all, add, Histogram{}));
  }
  for_each(Range{0, 26}, reduce(all, add, Histogram{}), [](std::size_t i, Histogram& own) {
    own.counts[i % 16] += 1;
    own.order += static_cast<char>('A' + i);
  });
  wait_all();
  CHECK(all.order == "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  CHECK(all.counts == std::vector<int>{4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2});
}

TEST_CASE("a step with reductions, repeated") {
  constexpr int kTasks = 20;
  std::vector<double> cells(kTasks, 1.0);
  double norm = 0;
  double serial = 0;
  std::vector<double> serial_cells = cells;
  Recording step;
  for (int lap = 0; lap < 30; ++lap) {
    step.step([&] {
      spawn([](double& n) { n /= 3; }, inout(norm));
      for (int i = 0; i < kTasks; ++i) {
        spawn(
            [i](double& cell, double& own) {
              cell = cell / 2 + uneven(static_cast<std::size_t>(i));
              own += cell;
            },
            inout(cells[static_cast<std::size_t>(i)]), reduce(norm, std::plus<>()));
      }
    });
    serial /= 3;
    for (int i = 0; i < kTasks; ++i) {
      double& cell = serial_cells[static_cast<std::size_t>(i)];
      cell = cell / 2 + uneven(static_cast<std::size_t>(i));
      serial += cell;
    }
  }
  wait_all();
  CHECK(norm == serial);
  CHECK(cells == serial_cells);
}

TEST_CASE("tasks that reduce may wait, have priorities, and name what the variable lies in") {
  const Region region = Region::create();
  auto* x = region.make<long>(0);
  auto* y = Region::root().make<long>(1);
  for (int i = 0; i < 50; ++i) {
    spawn(
        priority(i % 3), uses(in(region)),
        [](const long* other, long& own) {
          long ready = 0;
          spawn([](long& r) { r = 1; }, out(ready));
          wait(in(ready));
          own += *other * ready;
        },
        in(y), reduce(*x, std::plus<>()));
    if (i % 10 == 9) spawn([](long* other) { *other += 1; }, inout(y));
  }
  wait_all();
  CHECK(*x == 10 * (1 + 2 + 3 + 4 + 5));
  region.free();
  destroy(y);
}

TEST_CASE("what a cancelled task would have added is missing") {
  const Region region = Region::create();
  long sum = 0;
  region.cancel();
  for (int i = 0; i < 10; ++i) {
    spawn(uses(in(region)), [](long& own) { own += 100; }, reduce(sum, std::plus<>()));
    spawn([](long& own) { own += 1; }, reduce(sum, std::plus<>()));
  }
  wait_all();
  CHECK(sum == 10);
  region.free();
}

TEST_CASE("a task that reduces need not wait for the variable") {
  if (!uses_any_order()) return;
  int x = 0;
  std::atomic<int> arrived{0};
  Spawning main_spawns;
  main_spawns.begin();
  const auto meet = [&](int& n) {
    ++arrived;
    n += 1;
    if (!main_spawns.is_below_us()) await([&] { return arrived == 2; });
  };
  spawn(meet, inout(x));
  spawn(meet, reduce(x, std::plus<>()));
  main_spawns.end();
  wait_all();
  CHECK(x == 2);
}

TEST_CASE("while results are combined, others run") {
  if (!uses_any_order()) return;
  int sum = 0;
  int other = 0;
  std::atomic<bool> passed{false};
  Spawning main_spawns;
  main_spawns.begin();
  const auto add = [&](int a, int b) {
    if (!main_spawns.is_below_us()) await([&] { return passed.load(); });
    return a + b;
  };
  for (int i = 0; i < 20; ++i) spawn([](int& own) { own += 1; }, reduce(sum, add, 0));
  spawn([&](int&) { passed = true; }, inout(other));
  main_spawns.end();
  wait_all();
  CHECK(sum == 20);
}

}  // namespace myr::conformance
