// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "weak": tasks that only spawn others, and may begin early.
#include <array>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

// Groups of objects with two copies of each, in turn read and written: a sweep reads neighbours,
// also those of other groups, and each group's is spawned by a task of its own.
class Groups {
 public:
  static constexpr std::size_t kCount = 4, kSize = 6;

  Groups() {
    for (std::size_t copy = 0; copy < 2; ++copy) {
      for (std::size_t g = 0; g < kCount; ++g) {
        regions_[copy].push_back(Region::create(Region::root(), 1));
        inner_[copy].push_back(Region::create(regions_[copy].back()));
        for (std::size_t i = 0; i < kSize; ++i) {
          objects_[copy].push_back(inner_[copy].back().make<std::uint64_t>(g * kSize + i));
          values_[copy].push_back(g * kSize + i);
        }
      }
    }
  }
  ~Groups() {
    for (std::size_t copy = 0; copy < 2; ++copy) {
      for (const Region region : regions_[copy]) region.free();
    }
  }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  void sweep(std::size_t from) {
    const auto region_of = [&](std::size_t copy, std::size_t g) { return regions_[copy][g]; };
    for (std::size_t g = 0; g < kCount; ++g) {
      const std::size_t before = g == 0 ? g : g - 1, behind = g + 1 == kCount ? g : g + 1;
      spawn([this, g, from](auto...) { spawn_group(g, from); }, weak(inout(region_of(1 - from, g))),
            weak(in(region_of(from, g))), weak(in(region_of(from, before))),
            weak(in(region_of(from, behind))));
    }
    for (std::size_t i = 0; i < kCount * kSize; ++i) {
      values_[1 - from][i] = mix(values_[from][left_of(i)], values_[from][right_of(i)]);
    }
  }
  void check(std::size_t copy) {
    wait_all();
    for (std::size_t i = 0; i < kCount * kSize; ++i) CHECK(*objects_[copy][i] == values_[copy][i]);
  }
  [[nodiscard]] std::uint64_t* object(std::size_t copy, std::size_t i) { return objects_[copy][i]; }
  void add(std::size_t copy, std::size_t i, std::uint64_t value) {
    spawn([value](std::uint64_t* to) { *to += value; }, inout(objects_[copy][i]));
    values_[copy][i] += value;
  }

 private:
  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return (a + 1) * 31 + b * 7; }
  static std::size_t left_of(std::size_t i) { return i == 0 ? i : i - 1; }
  static std::size_t right_of(std::size_t i) { return i + 1 == kCount * kSize ? i : i + 1; }

  void spawn_group(std::size_t g, std::size_t from) {
    for (std::size_t i = g * kSize; i < (g + 1) * kSize; ++i) {
      spawn([](std::uint64_t* to, const std::uint64_t* a,
               const std::uint64_t* b) { *to = mix(*a, *b); },
            out(objects_[1 - from][i]), in(objects_[from][left_of(i)]),
            in(objects_[from][right_of(i)]));
    }
    // A wait in between, for what an earlier sweep may still be writing.
    wait(in(objects_[1 - from][g * kSize]));
  }

  std::array<std::vector<Region>, 2> regions_, inner_;
  std::array<std::vector<std::uint64_t*>, 2> objects_;
  std::array<std::vector<std::uint64_t>, 2> values_;
};

}  // namespace

TEST_CASE("what a task with weak accesses spawns is ordered like any task") {
  Region region = Region::create();
  int* x = region.make<int>(1);
  const auto forward = [x] { spawn([](int* p) { *p *= 10; }, inout(x)); };
  spawn([](int* p) { *p = 2; }, out(x));
  spawn(uses(weak(inout(region))),
        forward);  // may begin at once; its child waits for the first task
  spawn([](int* p) { *p += 1; }, inout(x));
  wait(in(x));
  CHECK(*x == 21);
  region.free();
}

TEST_CASE("tasks with weak accesses read what others of them write elsewhere") {
  Groups groups;
  for (std::size_t i = 0; i < 10; ++i) {
    groups.sweep(i % 2);
    groups.add(1 - i % 2, (7 * i) % (Groups::kCount * Groups::kSize), i);
  }
  groups.check(0);
}

TEST_CASE("a weak access beside a strong one to the same memory is as strong") {
  Region region = Region::create();
  int* x = region.make<int>(1);
  spawn([](int* p) { *p = 5; }, out(x));
  spawn(uses(weak(inout(region))), [](int* p) { *p *= 2; }, inout(x));
  spawn([](int* p) { *p += 1; }, inout(x));
  wait(in(x));
  CHECK(*x == 11);
  region.free();
}

// Nothing but the weak access itself tells these tasks of those before them.
TEST_CASE("a task with a weak access to a variable waits for it before it has spawned anything") {
  int x = 7;
  int serial = 7;
  const auto step = [](int* at, int by) { *at = (*at * 7 + by) % 251; };
  for (int n = 0; n < 12; ++n) {
    spawn(uses(weak(inout(x))), [n, step, &x] {
      if (n % 3 == 2) {
        wait_all();
      } else {
        wait(inout(x));
      }
      step(&x, n);
      spawn([step](int& at) { step(&at, 6); }, inout(x));
    });
    step(&serial, n);
    step(&serial, 6);
  }
  wait_all();
  CHECK(x == serial);
}

// Where steps are spawned from their record, what was weak in it must not be so any more.
TEST_CASE("a recorded step is another one when an access is not weak any more") {
  if (!shares_memory()) return;
  constexpr std::size_t kRuns = 4, kWeakRuns = 2;
  static std::array<bool, kRuns> has_ended, was_seen;
  has_ended = was_seen = {};
  Region region = Region::create();
  int* x = region.make<int>(0);
  Recording step;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const auto forward = [run, x] {
      if (run >= kWeakRuns) was_seen[run] = has_ended[run];
      spawn([](int* p) { ++*p; }, inout(x));
    };
    step.step([&] {
      spawn(
          [run](int*) {
            myr_work(1'000'000);
            has_ended[run] = true;
          },
          inout(x));
      if (run < kWeakRuns) {
        spawn(uses(weak(inout(region))), forward);
      } else {
        spawn(uses(notransfer(inout(region))), forward);
      }
    });
  }
  wait_all();
  for (std::size_t run = kWeakRuns; run < kRuns; ++run) CHECK(was_seen[run]);
  CHECK(*x == kRuns);
  region.free();
}

// Time is virtual there, so this holds whatever else the computer does.
TEST_CASE("on a simulated chip a task with weak accesses does not wait for what goes on below") {
  if (!is_machine("sim:formic") || is_chaotic() || myr_worker_count() < 3) return;
  constexpr std::uint64_t kLong = 10'000'000;
  const auto begin_of = [](auto how) {
    Region region = Region::create();
    int* x = region.make<int>(0);
    static std::uint64_t began;
    const std::uint64_t start = myr_cycles();
    spawn([](int*) { myr_work(kLong); }, inout(x));
    spawn([](Region) { began = myr_cycles(); }, how(region));
    wait_all();
    region.free();
    return began - start;
  };
  CHECK(begin_of([](Region r) { return notransfer(inout(Region(r))); }) > kLong);
  CHECK(begin_of([](Region r) { return weak(inout(Region(r))); }) < kLong / 10);
}

}  // namespace myr::conformance
