// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Repeated steps", and the examples of docs/user/replay.md.
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

constexpr int kReplaySteps = 20;

void add_to(long* to, const long* from) { *to = *to * 3 % 1009 + *from; }

// Cells in a ring, each of which takes in its left neighbour.
struct Ring {
  Region region = Region::create();
  std::vector<long*> cells;
  std::vector<long> expected;

  explicit Ring(int count) {
    for (int i = 0; i < count; ++i) {
      cells.push_back(region.make<long>(i));
      expected.push_back(i);
    }
  }
  [[nodiscard]] std::size_t left_of(std::size_t i) const {
    return (i + cells.size() - 1) % cells.size();
  }
  void spawn_one(std::size_t i) {
    spawn(add_to, inout(cells[i]), in(cells[left_of(i)]));
    add_to(&expected[i], &expected[left_of(i)]);
  }
  void spawn_all() {
    for (std::size_t i = 0; i < cells.size(); ++i) spawn_one(i);
  }
  [[nodiscard]] bool is_right() const {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (*cells[i] != expected[i]) return false;
    }
    return true;
  }
};

}  // namespace

TEST_CASE("a repeated step") {
  static constexpr std::size_t kTile = 100;
  std::vector<double> a(400, 1.0);
  Recording sweep;
  for (int step = 0; step < 10; ++step) {
    sweep.step([&] {
      for (std::size_t tile = 0; tile < a.size(); tile += kTile) {
        spawn(
            [step](double* first) {
              for (std::size_t i = 0; i < kTile; ++i) first[i] = first[i] / 2 + step;
            },
            inout(a.data() + tile, kTile));
      }
    });
  }
  wait_all();
  double expected = 1.0;
  for (int step = 0; step < 10; ++step) expected = expected / 2 + step;
  CHECK(a == std::vector<double>(400, expected));
}

TEST_CASE("steps follow each other without a wait, and other tasks lie in between") {
  for (const int count : {1, 2, 5, 40, 300}) {
    Ring ring(count);
    Recording step;
    for (int i = 0; i < kReplaySteps; ++i) {
      step.step([&] { ring.spawn_all(); });
      if (i % 7 == 3) ring.spawn_one(static_cast<std::size_t>(i) % ring.cells.size());
      if (i == 11) wait(in(ring.cells[0]));
    }
    wait(in(ring.region));
    CHECK(ring.is_right());
    ring.region.free();
  }
}

TEST_CASE("a step that differs") {
  Ring ring(12);
  Recording step;
  for (int i = 0; i < 40; ++i) {
    step.step([&] {
      for (std::size_t cell = 0; cell < ring.cells.size(); ++cell) {
        if (i % 5 == 2 && cell == 4) continue;               // one task less
        ring.spawn_one(i % 6 == 5 && cell == 7 ? 8 : cell);  // another object
      }
      if (i % 9 == 8) ring.spawn_one(3);  // one more
    });
  }
  wait_all();
  CHECK(ring.is_right());
}

TEST_CASE("several recordings take turns") {
  Ring ring(10);
  Recording forwards, backwards;
  for (int i = 0; i < kReplaySteps; ++i) {
    forwards.step([&] { ring.spawn_all(); });
    backwards.step([&] {
      for (std::size_t cell = ring.cells.size(); cell > 0; --cell) ring.spawn_one(cell - 1);
    });
  }
  wait_all();
  CHECK(ring.is_right());
}

TEST_CASE("recorded tasks spawn tasks, and end before them") {
  Ring ring(6);
  Recording step;
  for (int i = 0; i < kReplaySteps; ++i) {
    step.step([&] {
      for (std::size_t cell = 0; cell < ring.cells.size(); ++cell) {
        spawn([](long* to, const long* from) { spawn(add_to, inout(to), in(from)); },
              inout(ring.cells[cell]), in(ring.cells[ring.left_of(cell)]));
        add_to(&ring.expected[cell], &ring.expected[ring.left_of(cell)]);
      }
    });
  }
  wait_all();
  CHECK(ring.is_right());
}

TEST_CASE("waits, objects and regions inside of a step") {
  Ring ring(8);
  Recording step;
  for (int i = 0; i < kReplaySteps; ++i) {
    step.step([&] {
      for (std::size_t cell = 0; cell < 4; ++cell) ring.spawn_one(cell);
      wait(in(ring.cells[3]));
      CHECK(*ring.cells[3] == ring.expected[3]);
      const Region scratch = Region::create(ring.region);
      long* const value = scratch.make<long>(i);
      for (std::size_t cell = 4; cell < 8; ++cell) ring.spawn_one(cell);
      spawn(add_to, inout(ring.cells[5]), in(value));
      const long copy = i;
      add_to(&ring.expected[5], &copy);
      scratch.free();
      if (i % 4 == 1) wait_all();
    });
  }
  wait_all();
  CHECK(ring.is_right());
}

TEST_CASE("memory that is made anew is looked at anew") {
  const Region region = Region::create();
  long sum = 0, expected = 0;
  Recording step;
  for (int i = 0; i < kReplaySteps; ++i) {
    // Two objects side by side, or one where both were.
    const bool is_one = i % 3 == 2;
    long* const first = region.make_array<long>(is_one ? 16 : 8);
    long* const second = is_one ? first + 8 : region.make_array<long>(8);
    step.step([&] {
      spawn([i](long* p) { std::iota(p, p + 8, i); }, out(first, 8));
      spawn([i](long* p) { p[0] += i; }, inout(second, 8));
      spawn([](const long* p, const long* q, long& s) { s += p[7] + q[0]; }, in(first),
            in(second, 8), inout(sum));
    });
    expected += i + 7 + i;
    myr_free(first);
    if (!is_one) myr_free(second);
  }
  wait_all();
  CHECK(sum == expected);
  region.free();
}

TEST_CASE("an exception in a step is that of the first task in spawn order") {
  if (!shares_memory()) return;
  int x = 0;
  Recording step;
  for (int i = 0; i < 6; ++i) {
    step.step([&] {
      spawn([](int& v) { ++v; }, inout(x));
      for (int task = 0; task < 4; ++task) {
        spawn(
            [i, task](const int&) {
              if (task % 2 == 1) throw 10 * i + task;
            },
            in(x));
      }
    });
    int caught = -1;
    try {
      wait_all();
    } catch (int number) {
      caught = number;
    }
    CHECK(caught == 10 * i + 1);
  }
  CHECK(x == 6);
}

TEST_CASE("of what tasks throw in runs without a wait between the first is rethrown") {
  const Region region = Region::create();
  long* const x = region.make<long>(0);
  long* const y = region.make<long>(0);
  Recording step;
  for (int i = 0; i < kReplaySteps; ++i) {
    step.step([&] {
      for (long* const object : {x, y}) {
        spawn(
            [i, is_second = object == y](long* p) {
              *p += 1;
              if (i == (is_second ? 13 : 15)) throw std::runtime_error(is_second ? "y" : "x");
            },
            inout(object));
      }
      spawn([](const long* p, long* q) { *q += *p - *p; }, in(x), inout(y));
    });
  }
  CHECK_THROWS_WITH_AS(wait_all(), "y", std::runtime_error);
  CHECK(*x == kReplaySteps);
  CHECK(*y == kReplaySteps);
  region.free();
}

TEST_CASE("a step that uses very many places outside of regions") {
  std::vector<long> values(300, 1);
  Recording step;
  for (int i = 0; i < 5; ++i) {
    step.step([&] {
      for (long& value : values) spawn([](long& v) { v = 2 * v + 1; }, inout(value));
    });
  }
  wait_all();
  CHECK(values == std::vector<long>(300, 63));
}

TEST_CASE("more tasks in runs than main may be ahead") {
  Ring ring(700);
  Recording step;
  for (int i = 0; i < 14; ++i) step.step([&] { ring.spawn_all(); });
  wait(in(ring.region));
  CHECK(ring.is_right());
  ring.region.free();
}

TEST_CASE("what leaves a step by an exception ends it") {
  Ring ring(5);
  Recording step;
  for (int i = 0; i < 6; ++i) {
    const auto spawns = [&] {
      for (std::size_t cell = 0; cell < ring.cells.size(); ++cell) {
        if (i == 3 && cell == 2) throw std::runtime_error("enough");
        ring.spawn_one(cell);
      }
    };
    if (i == 3) {
      CHECK_THROWS_AS(step.step(spawns), std::runtime_error);
    } else {
      step.step(spawns);
    }
  }
  wait_all();
  CHECK(ring.is_right());
}

TEST_CASE("cancelled, urgent, commutative and held tasks in a step") {
  const Region region = Region::create();
  long* const x = region.make<long>(0);
  long sum = 0;
  {
    Recording step;
    for (int i = 0; i < kReplaySteps; ++i) {
      step.step([&] {
        spawn(priority(i % 3), [](long* p) { *p += 1; }, inout(x));
        spawn([](const long* p, long& s) { s += *p; }, in(x), reduce(sum, std::plus<>()));
        spawn(
            [](long* p) {
              Event event = Event::create();
              *p += 1;
              event.complete();
            },
            inout(x));
      });
    }
    wait_all();
    CHECK(*x == 2 * kReplaySteps);
    Recording other;
    for (int i = 0; i < kReplaySteps; ++i) {
      other.step([&] {
        for (int task = 0; task < 5; ++task) spawn([](long* p) { *p += 1; }, commutative(x));
      });
    }
    wait_all();
    CHECK(*x == 7 * kReplaySteps);
    region.cancel();
    for (int i = 0; i < 3; ++i) {
      step.step([&] { spawn(uses(inout(region)), [](long* p) { *p += 1; }, x); });
    }
    wait_all();
    CHECK(*x == 7 * kReplaySteps);
  }
  region.free();
}

TEST_CASE("loops in a step") {
  constexpr std::size_t kSize = 600;
  std::vector<long> a(kSize, 1), b(kSize, 2), x = a, y = b;
  Recording step;
  for (int i = 0; i < kReplaySteps; ++i) {
    step.step([&] {
      for_each(Range{1, kSize - 1}, in(a, part.grow(1)), inout(b, part),
               [from = a.data(), to = b.data()](std::size_t k) {
                 to[k] = (to[k] + from[k - 1] + from[k + 1]) % 1009;
               });
      for_each(Range{0, kSize}, in(b, part), inout(a, part),
               [from = b.data(), to = a.data()](std::size_t k) { to[k] += from[k]; });
    });
    for (std::size_t k = 1; k < kSize - 1; ++k) y[k] = (y[k] + x[k - 1] + x[k + 1]) % 1009;
    for (std::size_t k = 0; k < kSize; ++k) x[k] += y[k];
  }
  wait_all();
  CHECK(a == x);
  CHECK(b == y);
}

TEST_CASE("recordings in tasks, which end while steps of them run") {
  constexpr int kTasks = 8;
  long sums[kTasks] = {};
  for (int round = 0; round < 3; ++round) {
    for (long& sum : sums) {
      spawn(
          [](long& s) {
            std::optional<Recording> step;
            step.emplace();
            for (int i = 0; i < kReplaySteps; ++i) {
              step->step([&] {
                for (int task = 0; task < 3; ++task) spawn([](long& t) { t += 1; }, inout(s));
              });
            }
          },
          inout(sum));
    }
  }
  wait_all();
  for (const long sum : sums) CHECK(sum == 3L * 3 * kReplaySteps);
}

}  // namespace myr::conformance
