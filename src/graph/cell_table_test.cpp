// SPDX-License-Identifier: Apache-2.0
#include "graph/cell_table.hpp"

#include <map>
#include <utility>

#include "graph/test_tasks.hpp"

using namespace myr::graph;

namespace {

constexpr std::uint64_t kSlotBytes = 64;
constexpr std::uint64_t kPageBytes = 4096;

}  // namespace

TEST_CASE("cells that were not touched are not found, or empty") {
  CellTable table;
  CHECK(table.find(0) == nullptr);
  CHECK(table.page(kPageBytes).at(kPageBytes).is_untouched());
  CHECK(table.find(0) == nullptr);
  const Cell* neighbour = table.find(kPageBytes + kSlotBytes);  // in the same block
  CHECK((neighbour == nullptr || neighbour->is_untouched()));
}

TEST_CASE("each slot of each page has a cell of its own") {
  TestTasks tasks;
  CellTable table;
  std::map<std::uint64_t, TaskRef> writers;
  for (std::uint64_t page = 1; page < 100; ++page) {
    for (std::uint64_t slot = page % 3; slot < 64; slot += 5) {
      const std::uint64_t address = page * page * kPageBytes + slot * kSlotBytes;
      writers[address] = tasks.make_ref();
      table.page(address).at(address).writer = writers[address];
    }
  }
  for (const auto& [address, writer] : writers) {
    CHECK(table.page(address).at(address).writer == writer);
    const Cell* cell = table.find(address);
    REQUIRE(cell != nullptr);
    CHECK(cell->writer == writer);
  }
}

TEST_CASE("clear forgets everything, at once") {
  TestTasks tasks;
  CellTable table;
  const TaskRef task = tasks.make_ref();
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t page = 0; page < 20; ++page) {
      const std::uint64_t address = page * kPageBytes;
      CHECK(table.find(address) == nullptr);
      CHECK(table.page(address).at(address).is_untouched());
      table.page(address).at(address).writer = task;
      table.page(address + kSlotBytes).at(address + kSlotBytes).group.add(task);
      table.page(address + kSlotBytes).at(address + kSlotBytes).group.add(tasks.make_ref());
    }
    table.clear();
  }
  table.page(0).at(0).writer = task;
  CHECK(table.page(kSlotBytes).at(kSlotBytes).is_untouched());
}

TEST_CASE("a trimmed table is empty and usable") {
  TestTasks tasks;
  CellTable table;
  for (const std::uint64_t pages : {3, 300, 3}) {
    for (std::uint64_t page = 0; page < pages; ++page) {
      table.page(page * kPageBytes).at(page * kPageBytes).writer = tasks.make_ref();
    }
    table.trim(16);
    for (std::uint64_t page = 0; page < pages; ++page) {
      CHECK(table.find(page * kPageBytes) == nullptr);
      CHECK(table.page(page * kPageBytes).at(page * kPageBytes).is_untouched());
    }
  }
}

TEST_CASE("a table agrees with a map") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  TestTasks tasks;
  CellTable table;
  std::map<std::uint64_t, TaskRef> writers;
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t address = random() % (200 * 64) * kSlotBytes;
    const unsigned action = random() % 2000;
    if (action == 0) {
      table.clear();
      writers.clear();
    } else if (action < 1000) {
      writers[address] = tasks.make_ref();
      table.page(address).at(address).writer = writers[address];
    } else {
      const Cell* cell = table.find(address);
      const auto known = writers.find(address);
      const TaskRef expected = known == writers.end() ? TaskRef{} : known->second;
      REQUIRE((cell == nullptr ? TaskRef{} : cell->writer) == expected);
    }
  }
}
