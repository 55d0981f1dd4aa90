// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Priorities".
#include <algorithm>
#include <mutex>
#include <vector>

#include "support.hpp"

namespace myr::conformance {
namespace {

// What ran, in order.
class Log {
 public:
  void note(int what) {
    const std::scoped_lock lock(lock_);
    order_.push_back(what);
  }
  [[nodiscard]] std::vector<int> order() {
    const std::scoped_lock lock(lock_);
    return order_;
  }

 private:
  std::mutex lock_;
  std::vector<int> order_;
};

constexpr int kUrgentTasks = 30;

// Spawns tasks that all become ready when one on the other of two workers ends. The most urgent of
// them keeps that worker, so that main alone runs the rest, in its wait.
template <class Spawn>
std::vector<int> order_on_main(Spawn spawn_number) {
  static std::atomic<bool> has_begun, may_open, is_kept, may_end;
  has_begun = may_open = is_kept = may_end = false;
  Log log;
  int gate = 0;
  int last = 0;
  std::atomic<bool> is_over{false};
  while (!has_begun) {
    is_over = false;
    Spawning spawning;
    spawning.begin();
    spawn(
        [&](int&) {
          if (!spawning.is_below_us()) {
            has_begun = true;
            await([] { return may_open.load(); });
          }
          is_over = true;
        },
        out(gate));
    spawning.end();
    await([&] { return has_begun || is_over; });
  }
  spawn(
      priority(1000),
      [](const int&) {
        is_kept = true;
        await([] { return may_end.load(); });
      },
      in(gate));
  for (int i = 0; i < kUrgentTasks; ++i) spawn_number(log, i, gate, last);
  may_open = true;
  await([] { return is_kept.load(); });
  wait(inout(last));  // after all of them
  may_end = true;
  wait_all();
  return log.order();
}

bool main_is_alone() { return is_machine("smp:2") && !is_chaotic(); }

}  // namespace

TEST_CASE("tasks with priorities compute what those without do") {
  int sum = 0;
  for (int i = 0; i < 100; ++i) {
    spawn(
        priority(i % 7 - 2), [](int& s, int number) { s = s * 3 % 1009 + number; }, inout(sum), i);
  }
  int expected = 0;
  for (int i = 0; i < 100; ++i) expected = expected * 3 % 1009 + i;
  wait(in(sum));
  CHECK(sum == expected);
}

TEST_CASE("a ready task of higher priority runs first") {
  if (!main_is_alone()) return;
  const std::vector<int> order = order_on_main([](Log& log, int i, int& gate, int& last) {
    spawn(
        priority(1 + i % 3), [&log, i](const int&, const int&) { log.note(i); }, in(gate),
        in(last));
  });
  REQUIRE(order.size() == kUrgentTasks);
  CHECK(std::is_sorted(order.begin(), order.end(), [](int a, int b) { return a % 3 > b % 3; }));
}

TEST_CASE("a ready task with a priority runs before all without") {
  if (!main_is_alone()) return;
  const std::vector<int> order = order_on_main([](Log& log, int i, int& gate, int& last) {
    spawn(
        priority(i % 5 == 0 ? 4 : 0), [&log, i](const int&, const int&) { log.note(i); }, in(gate),
        in(last));
  });
  REQUIRE(order.size() == kUrgentTasks);
  CHECK(std::is_partitioned(order.begin(), order.end(), [](int i) { return i % 5 == 0; }));
}

TEST_CASE("many tasks with priorities, from many spawners") {
  std::atomic<int> ran{0};
  for (int i = 0; i < 20; ++i) {
    spawn(priority(i % 3), [&ran, i] {
      int x = 0;
      for (int j = 0; j < 50; ++j) {
        spawn(priority((i + j) % 4), [&ran](int& p) { ++p, ++ran; }, inout(x));
      }
      wait(in(x));
      if (x != 50) ran = -100'000;
    });
  }
  wait_all();
  CHECK(ran == 20 * 50);
}

}  // namespace myr::conformance
