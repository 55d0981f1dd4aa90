// SPDX-License-Identifier: Apache-2.0
#include "deps/block_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "deps/address_table.hpp"
#include "deps/blocks.hpp"

using namespace myr::deps;

namespace {

using Accesses = std::vector<BlockAccess>;
using Tasks = std::vector<TaskId>;
using Dice = std::mt19937_64;

std::uint64_t below(Dice& dice, std::uint64_t count) { return dice() % count; }

bool conflict(const Accesses& first, const Accesses& second) {
  return std::any_of(first.begin(), first.end(), [&](const BlockAccess& a) {
    return std::any_of(second.begin(), second.end(), [&](const BlockAccess& b) {
      return a.block == b.block && conflicts(a.use, b.use);
    });
  });
}

// Runs the tasks in an order that the dice choose among those that are ready; each time the ready
// ones must be those that conflict with no earlier task that has not run.
void check_against_pairs(const std::vector<Accesses>& program, Dice& dice) {
  BlockTable table;
  Tasks ready;
  for (TaskId task = 0; task < program.size(); ++task) {
    if (table.add(task, program[task])) ready.push_back(task);
  }
  std::vector<bool> ran(program.size(), false);
  for (std::size_t step = 0; step < program.size(); ++step) {
    for (TaskId task = 0; task < program.size(); ++task) {
      if (ran[task]) continue;
      std::set<TaskId> ahead;
      for (TaskId earlier = 0; earlier < task; ++earlier) {
        if (!ran[earlier] && conflict(program[earlier], program[task])) ahead.insert(earlier);
      }
      std::set<TaskId> found;
      table.for_conflicts(task, [&](std::uint64_t, TaskId other) { found.insert(other); });
      REQUIRE(found == ahead);
      REQUIRE(table.is_ready(task) == ahead.empty());
      REQUIRE((std::count(ready.begin(), ready.end(), task) == 1) == ahead.empty());
    }
    REQUIRE_FALSE(ready.empty());
    const std::size_t next = below(dice, ready.size());
    const TaskId task = ready[next];
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(next));
    ran[task] = true;
    table.retire(task, ready);
  }
  CHECK(table.size() == 0);
  CHECK(table.block_count() == 0);
}

Tile random_tile(Dice& dice, std::uint64_t bytes_max) {
  const std::uint64_t stride = 1 + below(dice, 400);
  Tile tile{
      .address = below(dice, bytes_max / 2), .bytes = 1 + below(dice, stride), .stride = stride};
  tile.rows = 1 + below(dice, 6);
  while (tile.end() > bytes_max) tile.rows -= 1;
  return tile;
}

}  // namespace

TEST_CASE("a task may run when it comes first in all its blocks") {
  BlockTable table;
  const auto write = [](std::uint64_t block) { return BlockAccess{block, BlockUse::Write}; };
  const auto read = [](std::uint64_t block) { return BlockAccess{block, BlockUse::Read}; };
  CHECK(table.add(1, Accesses{write(0), write(64)}));
  CHECK_FALSE(table.add(2, Accesses{read(0)}));
  CHECK_FALSE(table.add(3, Accesses{read(64), read(0)}));
  CHECK_FALSE(table.add(4, Accesses{write(0)}));
  CHECK(table.add(5, Accesses{}));
  Tasks ready;
  table.retire(1, ready);
  std::sort(ready.begin(), ready.end());
  CHECK(ready == Tasks{2, 3});
  ready.clear();
  table.retire(3, ready);
  CHECK(ready.empty());
  table.retire(2, ready);
  CHECK(ready == Tasks{4});
}

TEST_CASE("a task that names a block twice uses it in both ways, and does not wait for itself") {
  BlockTable table;
  CHECK(table.add(1, Accesses{{0, BlockUse::Read}, {0, BlockUse::Write}, {0, BlockUse::Read}}));
  CHECK_FALSE(table.add(2, Accesses{{0, BlockUse::Read}}));
  CHECK_FALSE(table.add(3, Accesses{{0, BlockUse::Write}, {0, BlockUse::Write}}));
  Tasks ready;
  table.retire(1, ready);
  CHECK(ready == Tasks{2});
  ready.clear();
  table.retire(2, ready);
  CHECK(ready == Tasks{3});
}

TEST_CASE(
    "random programs run in each order that the pairs of their tasks allow, and in no other") {
  Dice dice(3);
  for (unsigned round = 0; round < 400; ++round) {
    std::vector<Accesses> program(2 + below(dice, 14));
    const std::uint64_t uses = round % 2 == 0 ? kBlockUses : 2;  // with regions, or without
    for (Accesses& accesses : program) {
      accesses.resize(below(dice, 5));
      for (BlockAccess& access : accesses) {
        access = {64 * below(dice, 5), static_cast<BlockUse>(kBlockUses - 1 - below(dice, uses))};
      }
      // What has several uses in one task counts as what lets in the fewest others.
      for (std::size_t i = 0; i < accesses.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (accesses[i].block == accesses[j].block) accesses[i].use = accesses[j].use;
        }
      }
    }
    check_against_pairs(program, dice);
  }
}

TEST_CASE("of reads and writes of blocks the exact table of addresses says the same") {
  Dice dice(11);
  for (unsigned round = 0; round < 200; ++round) {
    BlockTable table;
    AddressTable golden;
    std::vector<TaskId> ready;
    TaskId next = 0;
    for (unsigned step = 0; step < 200; ++step) {
      if (ready.empty() || below(dice, 3) != 0) {
        std::vector<AddressUse> exact;
        Accesses accesses;
        for (std::uint64_t i = below(dice, 4); i != 0; --i) {
          const std::uint64_t block = 64 * below(dice, 8);
          const bool writes = below(dice, 2) == 0;
          exact.push_back({block, writes ? Mode::Write : Mode::Read});
          accesses.push_back({block, writes ? BlockUse::Write : BlockUse::Read});
        }
        const bool is_free = golden.add(next, exact);
        REQUIRE(table.add(next, accesses) == is_free);
        if (is_free) ready.push_back(next);
        next += 1;
      } else {
        const TaskId task = ready[below(dice, ready.size())];
        ready.erase(std::find(ready.begin(), ready.end(), task));
        std::vector<TaskId> freed = golden.retire(task);
        std::vector<TaskId> found;
        table.retire(task, found);
        std::sort(freed.begin(), freed.end());
        std::sort(found.begin(), found.end());
        REQUIRE(found == freed);
        ready.insert(ready.end(), found.begin(), found.end());
      }
    }
  }
}

TEST_CASE("a tile's blocks are those around its bytes, each once") {
  Dice dice(5);
  constexpr std::uint64_t kBegin = 4096 - 64;  // arrays need not begin where blocks would without
  constexpr std::uint64_t kBytes = 4000;
  for (unsigned round = 0; round < 1000; ++round) {
    const BlockedArray array{
        .begin = kBegin, .end = kBegin + kBytes, .block_bytes = 64ULL << below(dice, 4)};
    Tile tile = random_tile(dice, kBytes);
    tile.address += kBegin;
    std::set<std::uint64_t> expected;
    for (std::uint64_t i = 0; i < tile.rows; ++i) {
      for (std::uint64_t byte = 0; byte < tile.bytes; ++byte) {
        expected.insert(kBegin +
                        (tile.row(i) + byte - kBegin) / array.block_bytes * array.block_bytes);
      }
    }
    std::vector<std::uint64_t> found;
    visit_blocks(array, tile, [&](std::uint64_t block) { found.push_back(block); });
    REQUIRE(found == std::vector<std::uint64_t>(expected.begin(), expected.end()));
  }
}

TEST_CASE("tiles overlap if they have a byte in common") {
  Dice dice(7);
  unsigned count = 0;
  for (unsigned round = 0; round < 2000; ++round) {
    const Tile a = random_tile(dice, 600);
    const Tile b = random_tile(dice, 600);
    bool expected = false;
    for (std::uint64_t i = 0; i < a.rows; ++i) {
      for (std::uint64_t j = 0; j < b.rows; ++j) {
        if (a.row(i) < b.row(j) + b.bytes && b.row(j) < a.row(i) + a.bytes) expected = true;
      }
    }
    REQUIRE(overlap(a, b) == expected);
    count += expected ? 1 : 0;
  }
  CHECK(count > 100);
  CHECK(count < 1900);
}

TEST_CASE("tiles side by side conflict where a block holds bytes of both") {
  // 16 x 16 numbers of 8 bytes; tiles of 4 x 4: a row of a tile is half of a block of 64.
  const auto tile = [](std::uint64_t i, std::uint64_t j) {
    return Tile{.address = i * 4 * 128 + j * 32, .bytes = 32, .rows = 4, .stride = 128};
  };
  BlockTable table;
  const BlockedArray array{.begin = 0, .end = 16 * 128, .block_bytes = 64};
  std::vector<Tile> tiles;
  for (std::uint64_t task = 0; task < 16; ++task) {
    tiles.push_back(tile(task / 4, task % 4));
    Accesses accesses;
    visit_blocks(array, tiles.back(),
                 [&](std::uint64_t block) { accesses.push_back({block, BlockUse::Write}); });
    CHECK(accesses.size() == 4);
    CHECK(table.add(task, accesses) == (task % 2 == 0));
    std::size_t true_conflicts = 0;
    std::size_t false_conflicts = 0;
    table.for_conflicts(task, [&](std::uint64_t, TaskId other) {
      (overlap(tiles[task], tiles[other]) ? true_conflicts : false_conflicts) += 1;
    });
    CHECK(true_conflicts == 0);
    CHECK(false_conflicts == (task % 2 == 0 ? 0 : 4));
  }
}

TEST_CASE("ten million tasks need the memory of those that are alive at once" *
          doctest::test_suite("long")) {
  constexpr TaskId kTasks = 10'000'000;
  constexpr TaskId kAlive = 64;
  BlockTable table;
  Tasks ready;
  Tasks none;
  for (TaskId task = 0; task < kTasks; ++task) {
    const std::uint64_t place = task % 1'000'000;
    const Accesses accesses{{128 * place, BlockUse::Write}, {128 * place + 64, BlockUse::Read}};
    REQUIRE(table.add(task, accesses));
    ready.push_back(task);
    if (ready.size() < kAlive) continue;
    for (const TaskId done : ready) table.retire(done, none);
    ready.clear();
  }
  for (const TaskId done : ready) table.retire(done, none);
  CHECK(none.empty());
  CHECK(table.size() == 0);
  CHECK(table.block_count() == 0);
  CHECK(table.room() <= 2 * kAlive);
}
