// SPDX-License-Identifier: Apache-2.0
#include "mem/run_heap.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "mem/test_heap.hpp"

using myr::mem::Extent;
using myr::mem::Run;
using myr::mem::RunHeap;

namespace {

constexpr std::uint32_t kEntries = 4096;

struct Table {
  std::vector<Run> runs = std::vector<Run>(kEntries + 1);
  [[nodiscard]] std::uintptr_t address() const {
    return reinterpret_cast<std::uintptr_t>(runs.data());
  }
};

bool same(Extent a, Extent b) { return a.first == b.first && a.count == b.count; }

}  // namespace

TEST_CASE("a run joins its free neighbours on both sides") {
  Table table;
  RunHeap heap(table.address(), 1);
  CHECK(same(heap.add({10, 5}), {10, 5}));
  CHECK(same(heap.add({20, 5}), {20, 5}));
  CHECK(same(heap.add({15, 5}), {10, 15}));
  CHECK(heap.free_count() == 15);
  CHECK(same(heap.take(15), {10, 15}));
  CHECK_FALSE(heap.take(1));
}

TEST_CASE("runs of different holders never join") {
  Table table;
  RunHeap left(table.address(), 1), right(table.address(), 2);
  left.add({10, 10});
  CHECK(same(right.add({20, 10}), {20, 10}));
  CHECK_FALSE(left.take(11));
  CHECK(same(left.take(10), {10, 10}));
}

TEST_CASE("cutting leaves what is left and right of the part") {
  Table table;
  RunHeap heap(table.address(), 1);
  heap.add({100, 100});
  heap.cut({100, 100}, {130, 20});
  CHECK(heap.free_count() == 80);
  CHECK(same(heap.take_longest(), {150, 50}));
  CHECK(same(heap.take_longest(), {100, 30}));
  CHECK_FALSE(heap.take_longest());
}

TEST_CASE("forgotten runs leave no trace for a later holder of the same number") {
  Table table;
  RunHeap heap(table.address(), 1);
  heap.add({10, 10});
  heap.add({30, 10});
  heap.forget();
  CHECK(heap.free_count() == 0);
  CHECK(same(heap.add({20, 10}), {20, 10}));
}

TEST_CASE("runs that are too short are not looked at") {
  Table table;
  RunHeap heap(table.address(), 1);
  heap.add({10, 9});
  for (std::uint32_t i = 0; i < 100; ++i) heap.add({100 + 8 * i, 5});
  for (std::uint32_t i = 0; i < 100; ++i) table.runs[100 + 8 * i].length = 1000;  // would be taken
  CHECK(same(heap.take(8), {10, 8}));
}

TEST_CASE("of runs that may be too short few are looked at, unless there is nothing else") {
  Table table;
  RunHeap heap(table.address(), 1);
  heap.add({10, 60});
  for (std::uint32_t i = 0; i < 50; ++i) heap.add({100 + 50 * i, 40});  // looked at before it
  heap.add({3000, 100});
  CHECK(same(heap.take(50), {3000, 50}));
  CHECK(same(heap.take(50), {3050, 50}));
  CHECK(same(heap.take(50), {10, 50}));
  CHECK_FALSE(heap.take(50));
}

TEST_CASE("runs know when their ends, links and bins do not fit") {
  Table table;
  RunHeap heap(table.address(), 1);
  heap.add({10, 5});
  heap.add({20, 5});
  heap.add({30, 7});
  CHECK(heap.broken_invariant() == nullptr);
  const auto breaks = [&heap](std::uint32_t& field, std::uint32_t value) {
    const std::uint32_t right = std::exchange(field, value);
    CHECK(heap.broken_invariant() != nullptr);
    field = right;
    CHECK(heap.broken_invariant() == nullptr);
  };
  breaks(table.runs[14].length, 4);
  breaks(table.runs[10].length, 4);
  breaks(table.runs[10].prev, 30);
  breaks(table.runs[20].next, myr::mem::kNone);
  breaks(table.runs[30].prev, 20);
  table.runs[12].holder.store(1);
  CHECK(heap.broken_invariant() != nullptr);
}

// The oracle is a map of free entries. Extents move between two heaps over one table and users.
TEST_CASE("random takes and adds keep every entry exactly once") {
  const unsigned seed = myr::mem::test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  Table table;
  RunHeap heaps[2] = {{table.address(), 7}, {table.address(), 9}};
  heaps[0].add({1, kEntries / 2});
  heaps[1].add({1 + kEntries / 2, kEntries / 2 - 1});
  std::vector<char> used(kEntries + 1, 0);
  std::vector<Extent> taken;
  std::size_t used_count = 0;
  for (int step = 0; step < 50'000; ++step) {
    RunHeap& heap = heaps[random() % 2];
    if (taken.empty() || random() % 2 == 0) {
      const std::uint32_t count = 1 + random() % (random() % 8 == 0 ? 300 : 9);
      const Extent got = heap.take(count);
      if (!got) continue;
      REQUIRE(got.count == count);
      for (std::uint32_t i = got.first; i < got.end(); ++i) REQUIRE(used[i]++ == 0);
      taken.push_back(got);
      used_count += count;
    } else {
      std::swap(taken[random() % taken.size()], taken.back());
      const Extent back = taken.back();
      taken.pop_back();
      for (std::uint32_t i = back.first; i < back.end(); ++i) used[i] = 0;
      used_count -= back.count;
      REQUIRE(heap.add(back).covers(back));
    }
    REQUIRE(heaps[0].free_count() + heaps[1].free_count() + used_count == kEntries - 1);
    if (step % 100 != 0) continue;
    for (const RunHeap& one : heaps) REQUIRE(one.broken_invariant() == nullptr);
  }
  for (const Extent back : taken) heaps[0].add(back);
  heaps[1].for_each([](Extent run) { REQUIRE(run.count > 0); });
  while (const Extent run = heaps[1].take_longest()) heaps[0].add(run);
  CHECK(same(heaps[0].take(kEntries - 1), {1, kEntries - 1}));  // everything has joined again
}
