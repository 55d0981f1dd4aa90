// SPDX-License-Identifier: Apache-2.0
#include "cluster/byte_cover.hpp"

#include <doctest/doctest.h>

#include <random>

#include "cluster/user_task.hpp"

using namespace myr::cluster;

namespace {

myr_access bytes(std::uintptr_t begin, std::size_t count, unsigned flags) {
  return myr_make_access(reinterpret_cast<void*>(begin), count, flags);
}

// By looking at each.
ByteCover::Answer expected(const std::vector<myr_access>& declared, const myr_access& access) {
  const auto begin = [](const myr_access& one) {
    return reinterpret_cast<std::uintptr_t>(one.address);
  };
  auto answer = ByteCover::Answer::Apart;
  for (const myr_access& one : declared) {
    if (begin(access) >= begin(one) + one.bytes || begin(one) >= begin(access) + access.bytes) {
      continue;
    }
    const bool may_be_freed = (one.flags & MYR_HELD) != 0 && (one.flags & MYR_OUT) != 0;
    if (!may_be_freed) answer = ByteCover::Answer::Overlaps;
    const bool is_inside =
        begin(one) <= begin(access) && begin(access) + access.bytes <= begin(one) + one.bytes;
    if (is_inside && mode_of(one) >= mode_of(access)) return ByteCover::Answer::Inside;
  }
  return answer;
}

}  // namespace

TEST_CASE("what is covered by declared bytes is found as by looking at each of them") {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<myr_access> declared;
    for (unsigned i = 0; i < round % 12U; ++i) {
      const unsigned held = random() % 4 == 0 ? MYR_HELD : 0;
      declared.push_back(bytes(1 + random() % 40, 1 + random() % 12,
                               (random() % 2 == 0 ? MYR_IN : MYR_INOUT) | held));
    }
    const ByteCover cover(declared);
    for (int i = 0; i < 100; ++i) {
      const myr_access access =
          bytes(1 + random() % 50, 1 + random() % 8, random() % 2 == 0 ? MYR_IN : MYR_INOUT);
      CHECK(cover.look(access) == expected(declared, access));
    }
  }
}

// 10^11 comparisons of rows with rows.
TEST_CASE("tiles of many rows are found in a tile of many rows" * doctest::test_suite("long")) {
  constexpr std::size_t kRows = 100'000;
  std::vector<myr_access> rows;
  for (std::size_t i = 0; i < kRows; ++i) rows.push_back(bytes(4096 + i * 256, 128, MYR_INOUT));
  const ByteCover cover(rows);
  for (int tile = 0; tile < 10; ++tile) {
    for (const myr_access& row : rows) {
      REQUIRE(cover.look(row) == ByteCover::Answer::Inside);
    }
  }
}

TEST_CASE("a task that makes and frees regions for ever remembers a limited number" *
          doctest::test_suite("long")) {
  const UserTaskPtr main = UserTask::make(nullptr, 0, 0);
  const UserTaskPtr task = UserTask::make(main.get(), 0, 0);
  for (myr_region region = 1; region < 1'000'000; ++region) {
    task->found_may_change(region);
    REQUIRE(task->may_change(region));
    if (region % 2 == 0) task->freed(region);
  }
  CHECK(task->changeable_count() <= UserTask::kChangeableKnown);
  // Nobody knows, so it asks.
  CHECK_FALSE(task->may_change(2));
}
