// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "weak", beside all else that orders tasks, or keeps them from running: parts,
// waits, groups, cancelled regions, exceptions, steps, events, priorities, threads of the program.
#include <memory>
#include <thread>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

// Objects of regions are used by pointers, other variables by references.
int& at(int* p) { return *p; }
int& at(int& x) { return x; }

// A task that takes its time, so that what must wait for it has to wait.
template <class Access>
void spawn_slow(Access access, int value) {
  spawn(
      [value](auto&& p) {
        myr_work(100'000);
        for (int i = 0; i < 10; ++i) std::this_thread::yield();
        at(p) = value;
      },
      access);
}
template <class X>
void multiply(X&& x, int by) {
  spawn([by](auto&& y) { at(y) *= by; }, inout(x));
}
template <class X>
void add(X&& x, int what) {
  spawn([what](auto&& y) { at(y) += what; }, inout(x));
}
template <class X>
int value_of(X&& x) {
  wait(in(x));
  return at(x);
}

// Has the machine two workers, and begins such a task where others are ready?
bool begins_early() {
  return is_parallel() && !is_chaotic() && (is_machine("smp") || is_machine("tree"));
}

}  // namespace

TEST_CASE("a task with weak accesses begins beside the one that has the memory") {
  if (!begins_early()) return;
  Region region = Region::create();
  int* inside = region.make<int>(0);
  static int outside;
  static std::atomic<bool> has_begun;
  outside = 0;
  const auto hand_on = [](auto how, auto& x) {
    has_begun = false;
    Spawning main_spawns;
    main_spawns.begin();
    spawn(
        [&](auto&& q) {
          if (!main_spawns.is_below_us()) await([] { return has_begun.load(); });
          at(q) = 2;
        },
        inout(x));
    spawn(
        [&x](auto&&) {
          has_begun = true;
          multiply(x, 10);
        },
        how);
    add(x, 1);
    main_spawns.end();
    CHECK(value_of(x) == 21);
  };
  hand_on(weak(inout(region)), inside);
  hand_on(weak(inout(outside)), outside);
  region.free();
}

TEST_CASE("many tasks with weak accesses to the same memory") {
  Region region = Region::create();
  std::vector<int*> objects;
  for (int i = 0; i < 4; ++i) objects.push_back(region.make<int>(0));
  std::vector<int> variables(4);
  constexpr int kTasks = 40;
  for (int t = 0; t < kTasks; ++t) {
    int* const object = objects[t % 4];
    int& variable = variables[t % 4];
    const auto both = [object, &variable, t](auto&&...) {
      spawn([t](int* p) { *p = *p * 3 + t; }, inout(object));
      spawn([t](int& v) { v = v * 3 + t; }, inout(variable));
    };
    spawn(both, weak(inout(region)), weak(inout(variables.data(), 4)));
  }
  std::vector<int> expected(4);
  for (int t = 0; t < kTasks; ++t) expected[t % 4] = expected[t % 4] * 3 + t;
  wait_all();
  CHECK(variables == expected);
  for (int i = 0; i < 4; ++i) CHECK(value_of(objects[i]) == expected[i]);
  region.free();
}

TEST_CASE("nobody comes past a task that hands its memory to nobody") {
  Region region = Region::create();
  int* x = region.make<int>(0);
  int y = 0;
  for (int i = 1; i <= 20; ++i) {
    spawn_slow(out(x), i);
    spawn_slow(out(y), i);
    spawn([](auto&&...) {}, weak(inout(region)), weak(inout(y)));
    add(x, 100);
    add(y, 100);
    CHECK(value_of(x) == 100 + i);
    CHECK(value_of(y) == 100 + i);
  }
  region.free();
}

TEST_CASE("several weak accesses, that overlap and repeat, beside others") {
  Region region = Region::create();
  Region inner = Region::create(region);
  int* x = inner.make<int>(1);
  int* row = region.make_array<int>(16);
  int* other = Region::root().make<int>(1);
  for (int i = 0; i < 10; ++i) {
    spawn_slow(out(x), 2);
    spawn([](int* a) { a[7] = 3; }, inout(row, 8));
    spawn([](int* a) { a[0] = 4; }, inout(row + 8, 8));
    spawn_slow(out(other), 5);
    const auto body = [x, row](Region, auto&&, auto&&, int* p, auto&&...) {
      *p *= 2;  // of this it has waited
      multiply(x, 10);
      spawn([](int* a) { a[1] *= a[0]; }, inout(row + 7, 2));
      spawn([](int*, const int* from) { static_cast<void>(*from); }, inout(row, 4), in(x));
    };
    spawn(body, weak(in(inner)), weak(inout(row, 12)), weak(inout(row + 4, 12)), inout(other),
          weak(inout(inner)), weak(in(row + 6, 3)), weak(inout(x)));
    add(x, 1);
    spawn([](int* a) { a[0] += a[1]; }, inout(row + 7, 2));
    add(other, 1);
    CHECK(value_of(x) == 21);
    CHECK(value_of(other) == 11);
    wait(in(row, 16));
    CHECK(row[8] == 12);
    CHECK(row[7] == 15);
  }
  destroy(other);
  region.free();
}

TEST_CASE("a task with weak accesses may wait for what it hands on") {
  Region region = Region::create();
  int* x = region.make<int>(1);
  int y = 1;
  for (int i = 0; i < 10; ++i) {
    spawn_slow(out(x), 5);
    spawn_slow(out(y), 6);
    const auto body = [x, &y, i](auto&&...) {
      if (i % 2 == 0) wait(in(x));
      if (i % 3 == 0) wait(inout(y));
      multiply(x, 2);
      multiply(y, 2);
      wait(in(x));
      multiply(x, 3);
      if (i % 5 == 0) wait_all();
      multiply(x, 5);
      multiply(y, 5);
    };
    spawn(body, weak(inout(region)), weak(inout(y)));
    add(x, 1);
    add(y, 1);
    CHECK(value_of(x) == 151);
    CHECK(value_of(y) == 61);
  }
  region.free();
}

TEST_CASE("tasks with weak accesses spawn others with weak accesses") {
  struct Level {
    static void spawn_level(Region region, int* x, int& y, int depth) {
      spawn(
          [region, x, &y, depth](auto&&...) {
            if (depth == 0) {
              multiply(x, 2);
              multiply(y, 3);
            } else {
              spawn_level(region, x, y, depth - 1);
              spawn([x](auto&&) { add(x, 1); }, weak(inout(x)));
              spawn([](int& v) { add(v, 1); }, weak(inout(y)));
              if (depth == 2) wait(in(x));
            }
          },
          weak(inout(region)), weak(inout(y)));
    }
  };
  Region region = Region::create();
  int* x = region.make<int>(0);
  int y = 0;
  for (int i = 0; i < 5; ++i) {
    spawn_slow(out(x), 10);
    spawn_slow(out(y), 10);
    for (int depth = 0; depth < 4; ++depth) Level::spawn_level(region, x, y, depth);
    CHECK(value_of(x) == ((((10 * 2) * 2 + 1) * 2 + 2) * 2 + 3));
    CHECK(value_of(y) == ((((10 * 3) * 3 + 1) * 3 + 2) * 3 + 3));
  }
  region.free();
}

TEST_CASE("a task makes and frees in a region that it holds weakly") {
  Region region = Region::create();
  for (int i = 0; i < 10; ++i) {
    int* x = region.make<int>(1);
    spawn_slow(out(x), 2);
    spawn([](Region r, int* p) { *p += *r.make<int>(1); }, inout(region), inout(x));
    spawn(
        [](Region r, int* p) {
          int* own = Region::create(r).make<int>(4);
          spawn([](int* q, int* from) { *q += *from; }, inout(p), inout(own));
          Region inner = Region::create(r);
          inner.free();
        },
        weak(inout(region)), x);
    CHECK(value_of(x) == 7);
    spawn(uses(weak(inout(region))), [](int* p) { destroy(p); }, x);
  }
  wait_all();
  region.free();
}

TEST_CASE("beside tasks that use memory in any order") {
  int* x = Region::root().make<int>(0);
  for (int i = 0; i < 10; ++i) {
    spawn_slow(out(x), 0);
    for (int k = 0; k < 4; ++k) spawn([](int* p) { *p += 1; }, commutative(x));
    spawn(
        [x](auto&&) {
          for (int k = 0; k < 4; ++k) spawn([](int* p) { *p += 10; }, commutative(x));
          multiply(x, 2);
        },
        weak(inout(x)));
    for (int k = 0; k < 4; ++k) {
      spawn([](int* p) { std::atomic_ref(*p).fetch_add(1); }, concurrent(x));
    }
    spawn([x](auto&&) { multiply(x, 2); }, weak(inout(x)));
    for (int k = 0; k < 4; ++k) spawn([](int& own) { own += 1; }, reduce(*x, std::plus<>()));
    CHECK(value_of(x) == ((4 + 40) * 2 + 4) * 2 + 4);
  }
  destroy(x);
}

TEST_CASE("a weak access and a commutative one of the same task") {
  Region region = Region::create();
  int* x = region.make<int>(0);
  int* sum = Region::root().make<int>(0);
  for (int i = 0; i < 20; ++i) {
    spawn([x, i](auto, int* s) { add(x, 1), *s += i; }, weak(inout(region)), commutative(sum));
  }
  CHECK(value_of(x) == 20);
  CHECK(value_of(sum) == 190);
  // The first still wants what the second has, and the second hands on what the first has.
  for (int i = 0; i < 20; ++i) {
    spawn([](int* p, int* q) { ++*p, ++*q; }, commutative(sum), inout(x));
    spawn([x](int* s, auto&&) { add(x, 1), ++*s; }, commutative(sum), weak(inout(x)));
    spawn([](int* s, auto&&) { ++*s; }, commutative(sum), weak(inout(sum)));
  }
  CHECK(value_of(x) == 60);
  CHECK(value_of(sum) == 250);
  destroy(sum);
  region.free();
}

TEST_CASE("reductions beside weak accesses, and below them") {
  int* x = Region::root().make<int>(0);
  int sum = 0;
  int expected = 0;
  for (int i = 0; i < 10; ++i) {
    spawn_slow(out(x), i);
    const auto count = [x](int& own, auto&&) {
      own += 1;
      add(x, 1);
    };
    spawn(count, reduce(sum, std::plus<>()), weak(inout(x)));
    const auto hand_on = [x](int& s, auto&&) {
      spawn([](int& own, const int* p) { own += *p; }, reduce(s, std::plus<>()), in(x));
      multiply(s, 2);
    };
    spawn(hand_on, weak(inout(sum)), weak(in(x)));
    spawn([](int& own) { own += 3; }, reduce(sum, std::plus<>()));
    expected = (expected + 1 + i + 1) * 2 + 3;
  }
  CHECK(value_of(sum) == expected);
  destroy(x);
}

TEST_CASE("a child frees what is in a region that its parent holds weakly") {
  Region region = Region::create();
  int* sum = region.make<int>(0);
  std::vector<int*> objects;
  for (int i = 0; i < 10; ++i) objects.push_back(region.make<int>(1));
  for (int i = 0; i < 10; ++i) {
    int* x = objects[i];
    spawn_slow(out(x), i);
    spawn([](int* to, const int* from) { *to += *from; }, inout(sum), in(x));
    const auto free_it = [](Region r, int* p) {
      spawn(uses(inout(r)), [](int* q) { destroy(q); }, p);
    };
    spawn(free_it, weak(inout(region)), x);
    spawn([](Region r, int* to) { *to += *r.make<int>(1); }, inout(region), inout(sum));
  }
  CHECK(value_of(sum) == 45 + 10);
  region.free();
}

TEST_CASE("loops and steps in a task with weak accesses") {
  constexpr int kSize = 500;
  std::vector<int> v(kSize, 1);
  int* x = Region::root().make<int>(0);
  for (int i = 0; i < 5; ++i) {
    for_each(Range{0, kSize}, inout(v, part), [p = v.data()](std::size_t k) { p[k] += 1; });
    spawn_slow(out(x), i);
    const auto hand_on = [p = v.data(), x](auto&&...) {
      for_each(Range{0, kSize}, inout(p, part), [p](std::size_t k) { p[k] *= 2; });
      Recording step;
      for (int run = 0; run < 6; ++run) {
        step.step([x] {
          add(x, 1);
          multiply(x, 2);
        });
      }
    };
    spawn(hand_on, weak(inout(v.data(), kSize)), weak(inout(x)));
    for_each(Range{0, kSize}, inout(v, part), [p = v.data()](std::size_t k) { p[k] %= 100; });
    CHECK(value_of(x) == 64 * i + 126);
  }
  wait_all();
  int expected = 1;
  for (int i = 0; i < 5; ++i) expected = (expected + 1) * 2 % 100;
  CHECK(v == std::vector<int>(kSize, expected));
  destroy(x);
}

TEST_CASE("a child of a task with weak accesses completes the event that holds it open") {
  if (is_machine("mpi")) return;  // where it may run in another process
  int* x = Region::root().make<int>(0);
  for (int i = 0; i < 10; ++i) {
    spawn_slow(out(x), 2);
    spawn(
        [x](auto&&) {
          Event event = Event::create();
          spawn(
              [event = std::move(event)](int* p) mutable {
                *p *= 10;
                event.complete();
              },
              inout(x));
        },
        weak(inout(x)));
    add(x, 1);
    CHECK(value_of(x) == 21);
  }
  destroy(x);
}

TEST_CASE("weak accesses of the children of a task that holds the memory") {
  Region region = Region::create();
  int* x = region.make<int>(1);
  int* y = region.make<int>(1);
  const auto chain = [x, y](Region r) {
    for (int i = 0; i < 20; ++i) {
      spawn_slow(inout(x), i);
      spawn([x](auto&&) { multiply(x, 2); }, weak(inout(x)));
      const auto both = [x, y](auto&&) {
        spawn([](int* to, const int* from) { *to += *from; }, inout(y), in(x));
        wait(in(x));
        add(x, 1);
      };
      spawn(both, weak(inout(r)));
    }
  };
  for (int i = 0; i < 3; ++i) spawn(chain, inout(region));
  CHECK(value_of(x) == 39);
  CHECK(value_of(y) == 1 + 3 * 380);
  region.free();
}

TEST_CASE("what a task on a cancelled region hands on does not run") {
  if (!shares_memory()) return;
  static std::atomic<int> ran;
  ran = 0;
  int* x = Region::root().make<int>(0);
  for (int i = 0; i < 10; ++i) {
    Region region = Region::create();
    spawn([](Region r) { r.cancel(); }, inout(region));
    spawn([](Region r) { spawn(uses(inout(r)), [] { ++ran; }); }, weak(inout(region)));
    spawn([x](auto&&...) { add(x, 1); }, weak(inout(x)), in(region));
    spawn(uses(inout(region)), [] { ++ran; });
    add(x, 2);
    wait_all();
    region.free();
  }
  CHECK(ran == 0);
  CHECK(value_of(x) == 20);
  destroy(x);
}

TEST_CASE("of what tasks below one with weak accesses throw, the first is rethrown") {
  if (!shares_memory()) return;
  int* x = Region::root().make<int>(0);
  for (int i = 0; i < 10; ++i) {
    spawn_slow(out(x), 1);
    spawn(
        [x](auto&&) {
          spawn([](int*) { throw 1; }, inout(x));
          throw 2;
        },
        weak(inout(x)));
    spawn([](int*) { throw 3; }, inout(x));
    int caught = 0;
    try {
      wait_all();
    } catch (int what) {
      caught = what;
    }
    CHECK(caught == 1);
  }
  destroy(x);
}

TEST_CASE("steps with weak accesses repeat") {
  Region region = Region::create();
  int* x = region.make<int>(0);
  std::vector<int> variables(8);
  int expected = 0;
  Recording recording;
  const auto spawn_step = [&] {
    add(x, 1);
    for (int i = 0; i < 8; ++i) {
      spawn(
          uses(weak(in(region))),
          [x](int& v) { spawn([](int& q, const int* p) { q += *p; }, inout(v), in(x)); },
          weak(inout(variables[i])));
    }
    multiply(x, 2);
  };
  int sum = 0;
  const auto note = [&] {
    sum += expected + 1;
    expected = (expected + 1) * 2 % 1000;
    spawn([](int* p) { *p %= 1000; }, inout(x));
  };
  for (int run = 0; run < 8; ++run) {
    recording.step(spawn_step);
    note();
  }
  for (int run = 0; run < 8; ++run) {  // a step that repeats by itself
    spawn_step();
    note();
    wait_all();
  }
  wait_all();
  for (const int value : variables) CHECK(value == sum);
  CHECK(value_of(x) == expected);
  region.free();
}

TEST_CASE("arrays with blocks, events, priorities and values beside weak accesses") {
  int* array = Region::root().make_blocks<int>(256, 256);
  for (int i = 0; i < 10; ++i) {
    spawn([](int* a) { a[0] = 2; }, inout(array, 8));
    spawn([](int* a) { a[0] = 3; }, inout(array + 64, 8));
    spawn(
        priority(2),
        [array](auto&&, auto&&, int factor) {
          Event event = Event::create();
          spawn([factor](int* a) { a[0] *= factor; }, inout(array, 8));
          spawn([](int* a) { a[4] *= 7; }, inout(array + 60, 8));
          event.complete();
        },
        weak(inout(array, 100)), weak(in(array + 200, 8)), 5);
    spawn([](int* a) { a[0] += 1, a[64] += 1; }, inout(array));
    wait(in(array));
    CHECK(array[0] == 11);
    CHECK(array[64] == 22);
  }
  destroy(array);
}

TEST_CASE("a thread of the program spawns tasks with weak accesses") {
  if (!shares_memory() || is_machine("sim")) return;  // where such a thread has no place
  int x = 0;
  std::thread([&x] {
    for (int i = 0; i < 10; ++i) {
      spawn_slow(out(x), 4);
      spawn([](int& y) { multiply(y, 2); }, weak(inout(x)));
      spawn([](auto&&) {}, weak(in(x)));
      add(x, 1);
      CHECK(value_of(x) == 9);
    }
    wait_all();
  }).join();
}

TEST_CASE("a chain of very many tasks that hand on nothing") {
  int* x = Region::root().make<int>(0);
  spawn_slow(out(x), 1);
  const int count = is_of_agents() ? 1'000 : 100'000;
  for (int i = 0; i < count; ++i) spawn([](auto&&) {}, weak(inout(x)));
  add(x, 1);
  CHECK(value_of(x) == 2);
  destroy(x);
}

TEST_CASE("spawners with weak accesses wait while those before them spawn") {
  Region region = Region::create();
  int* x = region.make<int>(0);
  const auto spread = [x](auto&&) {
    for (int i = 0; i < 50; ++i) {
      spawn(
          [x](auto&&) {
            add(x, 1);
            wait(in(x));
            add(x, 1);
          },
          weak(inout(x)));
    }
  };
  for (int i = 0; i < 10; ++i) spawn(spread, weak(inout(region)));
  CHECK(value_of(x) == 1000);
  region.free();
}

}  // namespace myr::conformance
