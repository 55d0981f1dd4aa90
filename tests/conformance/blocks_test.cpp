// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Blocks": arrays whose dependences are kept by blocks.
#include <algorithm>
#include <random>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

constexpr std::size_t kBlock = 1024;
constexpr std::size_t kNumbers = 64 * kBlock / sizeof(std::uint64_t);

std::uint64_t* new_array(Region region = Region::root()) {
  return region.make_blocks<std::uint64_t>(kNumbers, kBlock);
}

}  // namespace

TEST_CASE("tasks that use the same block are ordered") {
  auto* array = Region::root().make_blocks<double>(1'000'000, 4096);  // 512 numbers a block
  for (int step = 0; step < 10; ++step) {
    for (std::size_t i = 0; i < 8; ++i) {
      spawn([](double* block) { block[0] = 2 * block[0] + 1; }, inout(array + 512 * i, 512));
    }
  }
  double sum = 0;
  spawn(
      [](const double* all, double& s) {
        for (std::size_t i = 0; i < 8; ++i) s += all[512 * i];
      },
      in(array), inout(sum));  // all blocks
  wait_all();
  CHECK(sum == 8 * 1023);
  myr_free(array);
}

TEST_CASE("tasks that use different bytes of a block are ordered, those of others run together") {
  // Elsewhere parts of an array are exact, and tasks that use different bytes may run together.
  const bool has_blocks = is_machine("smp") || is_machine("master");
  if (!shares_memory() || !has_blocks) return;
  auto* array = new_array();
  if (is_parallel()) {
    std::atomic<int> running{0};
    Spawning spawning;
    spawning.begin();
    for (std::size_t i = 0; i < 2; ++i) {
      spawn(
          [&](std::uint64_t*) {
            running += 1;
            if (!spawning.is_below_us()) await([&] { return running == 2; });
          },
          inout(array + i * kBlock / sizeof *array, 1));
    }
    spawning.end();
    wait_all();
  }
  // The second one does not run before the first one has ended.
  bool has_ended = false;
  bool was_in_order = false;
  spawn([&](std::uint64_t*) { has_ended = true; }, inout(array, 1));
  spawn([&](std::uint64_t*) { was_in_order = has_ended; }, inout(array + 1, 1));
  wait(in(array));
  CHECK(was_in_order);
  myr_free(array);
}

TEST_CASE("random parts of an array with blocks give the serial result") {
  std::mt19937_64 dice(7);
  auto* array = new_array();
  std::vector<std::uint64_t> expected(kNumbers, 0);
  for (unsigned round = 0; round < 400; ++round) {
    const std::size_t from = dice() % kNumbers;
    const std::size_t count = 1 + dice() % std::min<std::size_t>(kNumbers - from, 300);
    const auto step = [count](std::uint64_t* first, std::uint64_t add) {
      for (std::size_t i = 0; i < count; ++i) first[i] = 3 * first[i] + add;
    };
    step(expected.data() + from, round);
    if (round % 3 == 0) {
      // A child, and after it a sibling of its parent that uses the same memory.
      spawn(
          [step, count](std::uint64_t* first, std::uint64_t add) {
            spawn([step](std::uint64_t* p, std::uint64_t a) { step(p, a); }, inout(first, count),
                  add);
          },
          inout(array + from, count), std::uint64_t{round});
    } else {
      spawn([step](std::uint64_t* first, std::uint64_t add) { step(first, add); },
            inout(array + from, count), std::uint64_t{round});
    }
    if (dice() % 40 == 0) wait(in(array + from, count));
  }
  wait(in(array));
  CHECK(std::vector<std::uint64_t>(array, array + kNumbers) == expected);
  myr_free(array);
}

TEST_CASE("readers, writers and groups of an array with blocks, many of each") {
  auto* array = new_array();
  constexpr std::size_t kPerBlock = kBlock / sizeof *array;
  for (unsigned lap = 0; lap < 3; ++lap) {
    for (unsigned i = 0; i < 100; ++i) {
      auto* own = array + i % 4 * kPerBlock;
      spawn([](std::uint64_t* p) { *p += 1; }, commutative(own, kPerBlock));
    }
    std::vector<std::uint64_t> seen(100, 0);
    for (unsigned i = 0; i < seen.size(); ++i) {
      spawn([](const std::uint64_t* p, std::uint64_t& to) { to = *p; },
            in(array + i % 4 * kPerBlock, kPerBlock), out(seen[i]));
    }
    spawn(
        [](std::uint64_t* p) {
          for (unsigned i = 0; i < 4; ++i) p[i * kPerBlock] += 75;
        },
        inout(array));
    wait_all();
    for (const std::uint64_t number : seen) CHECK(number == lap * 100 + 25);
    CHECK(array[3 * kPerBlock] == (lap + 1) * 100);
  }
  myr_free(array);
}

TEST_CASE("an array with blocks is freed after its tasks, and with its region") {
  if (!shares_memory()) return;
  Region region = Region::create();
  auto* array = new_array(region);
  std::atomic<unsigned> ended{0};
  for (unsigned i = 0; i < 8; ++i) {
    spawn([&](std::uint64_t*) { ended += 1; }, inout(array + i * 128, 128));
  }
  myr_free(array);
  if (!is_of_agents()) CHECK(ended == 8);  // there the call returns before
  wait(in(region));
  CHECK(ended == 8);
  array = new_array(region);
  spawn([](std::uint64_t* p) { *p = 5; }, inout(array + 1, 1));
  auto* moved =
      static_cast<std::uint64_t*>(myr_realloc(array, 2 * kNumbers * sizeof *array, region.id()));
  CHECK(moved[1] == 5);
  spawn([](std::uint64_t* p) { *p = 7; }, inout(moved + kNumbers, 1));
  spawn(uses(inout(region)), [](std::uint64_t* p) { p[kNumbers] += 1; }, moved);
  wait(in(region));
  CHECK(moved[kNumbers] == 8);
  CHECK(myr_alloc_blocks(0, 64, region.id()) == nullptr);
  region.free();
}

TEST_CASE("steps that repeat on an array with blocks") {
  auto* array = new_array();
  Recording recording;
  for (unsigned lap = 0; lap < 10; ++lap) {
    recording.step([&] {
      for (unsigned i = 0; i < 16; ++i) {
        spawn([](std::uint64_t* p) { *p += 1; }, inout(array + 100 * i, 100));
      }
      spawn([](const std::uint64_t* p, std::uint64_t* sum) { *sum += *p; }, in(array, 100),
            inout(array + kNumbers - 1, 1));
    });
  }
  wait_all();
  CHECK(array[1500] == 10);
  CHECK(array[kNumbers - 1] == 55);
  myr_free(array);
}

}  // namespace myr::conformance
