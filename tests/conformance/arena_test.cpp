// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Arenas".
#include <algorithm>
#include <atomic>
#include <myr/arena.hpp>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

// How many are in it at the same time, and the most that ever were.
class Crowd {
 public:
  void enter() {
    const int now = ++now_;
    int most = most_;
    while (most < now && !most_.compare_exchange_weak(most, now)) {
    }
  }
  void leave() { --now_; }
  [[nodiscard]] int most() const { return most_; }

 private:
  std::atomic<int> now_{0};
  std::atomic<int> most_{0};
};

// Schedulers place tasks without regard to arenas.
[[nodiscard]] bool keeps_limits() { return !is_of_agents(); }

void check_most(const Crowd& crowd, int limit) {
  if (keeps_limits()) CHECK(crowd.most() <= limit);
  CHECK(crowd.most() >= 1);
}

long count_leaves(Crowd& crowd, int depth) {
  if (depth == 0) {
    crowd.enter();
    take_time(200);
    crowd.leave();
    return 1;
  }
  long left = 0;
  long right = 0;
  spawn([&crowd, depth](long& sum) { sum = count_leaves(crowd, depth - 1); }, out(left));
  spawn([&crowd, depth](long& sum) { sum = count_leaves(crowd, depth - 1); }, out(right));
  wait(in(left), in(right));
  return left + right;
}

}  // namespace

TEST_CASE("a call in an arena is a call") {
  std::vector<int> values(20);
  const int sum = Arena{.workers = 2}.run([&] {
    for (int& value : values) spawn([](int& x) { x += 1; }, inout(value));
    wait_all();
    return std::accumulate(values.begin(), values.end(), 0);
  });
  CHECK(sum == 20);
}

TEST_CASE("an arena limits how many workers run the tasks of a call") {
  for (const unsigned limit : {1U, 2U, 3U}) {
    Crowd crowd;
    std::vector<int> values(60);
    Arena{.workers = limit}.run([&] {
      for (int& value : values) {
        spawn(
            [&crowd](int& x) {
              crowd.enter();
              take_time(2'000);
              x += 1;
              crowd.leave();
            },
            inout(value));
      }
      wait_all();
    });
    CHECK(std::count(values.begin(), values.end(), 1) == 60);
    check_most(crowd, static_cast<int>(limit));
  }
}

TEST_CASE("and of what they spawn, however deep they wait for it") {
  for (const unsigned limit : {1U, 2U}) {
    Crowd crowd;
    const long leaves = Arena{.workers = limit}.run([&] { return count_leaves(crowd, 8); });
    CHECK(leaves == 256);
    check_most(crowd, static_cast<int>(limit));
  }
}

TEST_CASE("loops, reductions and groups keep to an arena's limit") {
  Crowd crowd;
  std::vector<long> squares(2'000);
  long sum = 0;
  long any = 0;
  Arena{.workers = 2}.run([&] {
    for_each(grain(20), range(0, 2'000), out(squares, part), [&](int i, auto view) {
      crowd.enter();
      take_time(20);
      view[static_cast<std::size_t>(i)] = long{i} * i;
      crowd.leave();
    });
    for (int i = 0; i < 20; ++i) {
      spawn([i](long& own) { own += i; }, reduce(sum, std::plus<>()));
      spawn(
          [&crowd, i](long& x) {
            crowd.enter();
            x += i;
            crowd.leave();
          },
          commutative(any));
    }
    wait_all();
  });
  CHECK(squares[1'999] == 1'999 * 1'999);
  CHECK(sum == 190);
  CHECK(any == 190);
  check_most(crowd, 2);
}

TEST_CASE("tasks of an arena that nobody has waited for stay under its limit") {
  Crowd crowd;
  std::vector<int> values(40);
  Arena{.workers = 1}.run([&] {
    for (int& value : values) {
      spawn(
          priority(1),
          [&crowd](int& x) {
            crowd.enter();
            take_time(500);
            x += 1;
            crowd.leave();
          },
          inout(value));
    }
  });
  wait_all();
  CHECK(std::count(values.begin(), values.end(), 1) == 40);
  check_most(crowd, 1);
}

TEST_CASE("other tasks do not wait for an arena's") {
  // Where main may call the one that waits while it spawns others, nothing is to be waited for.
  std::atomic<bool> may_end{!is_parallel() || is_of_agents() || is_chaotic()};
  int inside = 0;
  int outside = 0;
  Arena{.workers = 1}.run([&] {
    spawn(
        [&may_end](int& x) {
          while (!may_end) std::this_thread::yield();
          x = 1;
        },
        out(inside));
  });
  for (int i = 0; i < 20; ++i) spawn([](int& x) { x += 1; }, inout(outside));
  spawn([&may_end](const int&) { may_end = true; }, in(outside));
  wait_all();
  CHECK(inside == 1);
  CHECK(outside == 20);
}

TEST_CASE("a call in an arena returns what it returns, and throws what it throws") {
  int x = 1;
  const Arena arena{.workers = 2};
  CHECK(arena.run([] { return 3; }) == 3);
  int& same = arena.run([&]() -> int& { return x; });
  CHECK(&same == &x);
  CHECK_THROWS_AS(arena.run([] { throw std::runtime_error("no"); }), std::runtime_error);
  arena.run([&] {
    spawn([](int&) { throw std::runtime_error("task"); }, inout(x));
    CHECK_THROWS_AS(wait_all(), std::runtime_error);
  });
  Arena{}.run([&] { spawn([](int& y) { y = 2; }, inout(x)); });  // no limit
  wait(in(x));
  CHECK(x == 2);
}

TEST_CASE("arenas may lie in each other, and tasks of events in them") {
  std::vector<int> values(16);
  Arena{.workers = 2}.run([&] {
    for (int& value : values) {
      spawn(
          [](int& x) {
            Arena{.workers = 1}.run([&] {
              int mine = 0;
              for (int i = 0; i < 4; ++i) spawn([](int& y) { y += 1; }, inout(mine));
              wait(in(mine));
              x = mine;
            });
            Event event = Event::create();
            event.complete();
          },
          inout(value));
    }
    wait_all();
  });
  CHECK(std::count(values.begin(), values.end(), 4) == 16);
}

TEST_CASE("threads that the program started have arenas of their own") {
  if (is_of_agents()) return;  // whose machines admit none
  Crowd crowds[3];
  std::vector<std::thread> threads;
  for (Crowd& crowd : crowds) {
    threads.emplace_back([&crowd] {
      Arena{.workers = 1}.run([&] {
        std::vector<int> values(20);
        for (int& value : values) {
          spawn(
              [&crowd](int& x) {
                crowd.enter();
                take_time(500);
                x = 1;
                crowd.leave();
              },
              inout(value));
        }
        wait_all();
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Crowd& crowd : crowds) check_most(crowd, 1);
}

}  // namespace myr::conformance
