// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Order": parts of an object are ordered by the bytes that they have in common,
// on every machine.
#include <algorithm>
#include <numeric>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

constexpr std::size_t kParts = 64;
constexpr std::size_t kWords = 1024;  // of a part: two blocks of a machine with blocks

// Increases all of them by a half each, and returns before its children do so.
void add_to_halves(std::uint64_t* first, std::size_t count, std::uint64_t value) {
  if (count <= kWords / 4) {
    for (std::size_t i = 0; i < count; ++i) first[i] += value + first[i] * 3;
    return;
  }
  const std::size_t half = count / 2;
  spawn(add_to_halves, inout(first, half), half, value);
  spawn(add_to_halves, inout(first + half, count - half), count - half, value);
}

// In cycles of a simulated worker.
template <class Spawn>
std::uint64_t time_of(Spawn spawn_all) {
  wait_all();
  const std::uint64_t began = myr_cycles();
  spawn_all();
  wait_all();
  return myr_cycles() - began;
}

}  // namespace

TEST_CASE("tasks on different parts of one object run at the same time") {
  if (!is_parallel()) return;
  auto* object = Region::root().make_array<std::uint64_t>(2 * kWords);
  std::atomic<int> arrived{0};
  Spawning main_spawns;
  main_spawns.begin();
  const auto meet = [&](std::uint64_t* part) {
    *part = 1;
    ++arrived;
    if (!main_spawns.is_below_us()) await([&] { return arrived == 2; });
  };
  spawn(meet, inout(object, kWords));
  spawn(meet, inout(object + kWords, kWords));
  main_spawns.end();
  wait_all();
  CHECK(arrived == 2);
  destroy(object);
}

TEST_CASE("parts of one object take no longer than as many objects") {
  if (!is_machine("sim") || is_chaotic()) return;
  constexpr std::uint64_t kCycles = 1'000'000;
  const auto work = [](std::uint64_t* part) {
    *part += 1;
    myr_work(kCycles);
  };
  const Region region = Region::root();
  auto* object = region.make_array<std::uint64_t>(kParts * kWords);
  std::vector<std::uint64_t*> objects(kParts);
  for (auto& one : objects) one = region.make_array<std::uint64_t>(kWords);
  const std::uint64_t separate = time_of([&] {
    for (auto* one : objects) spawn(work, inout(one, kWords));
  });
  const std::uint64_t parts = time_of([&] {
    for (std::size_t i = 0; i < kParts; ++i) spawn(work, inout(object + i * kWords, kWords));
  });
  CHECK(10 * parts <= 11 * separate);
  for (std::size_t i = 0; i < kParts; ++i) CHECK(object[i * kWords] == 1);
}

TEST_CASE("who uses the whole object waits for its parts, and they wait for him") {
  auto* object = Region::root().make_array<std::uint64_t>(kParts * kWords);
  std::uint64_t sums[2] = {};
  const auto sum = [](const std::uint64_t* p, std::uint64_t& result) {
    result = std::accumulate(p, p + kParts * kWords, std::uint64_t{0});
  };
  const auto set = [](std::uint64_t* part, std::uint64_t value) {
    std::fill(part, part + kWords, value);
  };
  for (unsigned round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < kParts; ++i) {
      spawn(set, out(object + i * kWords, kWords), std::uint64_t{1} + round);
    }
    spawn(sum, in(object), out(sums[round]));
  }
  spawn(set, out(object + kWords, kWords), std::uint64_t{100});
  wait(in(object + kWords, kWords));
  CHECK(object[kWords] == 100);
  wait_all();
  CHECK(sums[0] == kParts * kWords);
  CHECK(sums[1] == 2 * kParts * kWords);
  destroy(object);
}

TEST_CASE("a child's reading of a part does not wait for a later task of its parent's siblings") {
  for (int round = 0; round < 20; ++round) {
    OwnedRegion region;
    long* const object = region.make_array<long>(7);
    int mark = 0;
    int seen = 0;
    spawn([](long* p) { *p = 1; }, inout(object + 4, 1));
    spawn([](const long*) {}, in(object + 4, 1));
    spawn(
        uses(in(region)),
        [](int& x, long* all) {
          spawn([](const long*) {}, in(all + 3, 3));
          x = 1;
        },
        inout(mark), object);
    spawn([](const int& x, const long*, int& y) { y = x; }, in(mark), in(object + 3, 3), out(seen));
    wait_all();
    CHECK(object[4] == 1);
    CHECK(seen == 1);
  }
}

TEST_CASE("a task that has a part gives parts of it to its children") {
  constexpr std::size_t kCount = 8 * kWords;
  auto* object = Region::root().make_array<std::uint64_t>(kCount);
  std::vector<std::uint64_t> expected(kCount);
  std::fill(object, object + kCount, 0);
  std::uint64_t random = 4711;
  for (std::uint64_t i = 0; i < 60; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const std::size_t first = (random >> 33) % kCount;
    const std::size_t count = i % 7 == 0 ? kCount - first : 1 + (random >> 50) % (kCount - first);
    spawn(add_to_halves, inout(object + first, count), count, i);
    for (std::size_t j = first; j < first + count; ++j) expected[j] += i + expected[j] * 3;
  }
  wait(in(object));
  CHECK(std::equal(expected.begin(), expected.end(), object));
  destroy(object);
}

}  // namespace myr::conformance
