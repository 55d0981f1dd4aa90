// SPDX-License-Identifier: Apache-2.0
#include "deps/address_table.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace myr::deps;

namespace {

using Uses = std::vector<AddressUse>;
using Tasks = std::vector<TaskId>;

// Whether the serial order of two tasks matters.
bool conflict(const Uses& first, const Uses& second) {
  for (const AddressUse& a : first) {
    for (const AddressUse& b : second) {
      if (a.address == b.address && (a.mode == Mode::Write || b.mode == Mode::Write)) return true;
    }
  }
  return false;
}

// Uses of one of the 5^2 tasks that name two addresses for nothing, reading, writing, or both ways.
Uses uses_of(unsigned shape) {
  Uses uses;
  for (std::uint64_t address = 0; address < 2; ++address, shape /= 5) {
    const unsigned kind = shape % 5;
    if (kind == 1 || kind == 3) uses.push_back({address, Mode::Read});
    if (kind == 2 || kind == 3 || kind == 4) uses.push_back({address, Mode::Write});
    if (kind == 4) uses.push_back({address, Mode::Read});
  }
  return uses;
}

// Runs tasks in an order that `pick` chooses among those that are ready; each time the ready ones
// must be those that conflict with no earlier task that has not run.
template <typename Pick>
void check_against_pairs(const std::vector<Uses>& program, Pick pick) {
  AddressTable table;
  std::vector<bool> ran(program.size(), false);
  for (TaskId task = 0; task < program.size(); ++task) table.add(task, program[task]);
  for (std::size_t step = 0; step < program.size(); ++step) {
    Tasks ready;
    for (TaskId task = 0; task < program.size(); ++task) {
      if (ran[task]) continue;
      bool free = true;
      for (TaskId earlier = 0; earlier < task; ++earlier) {
        if (!ran[earlier] && conflict(program[earlier], program[task])) free = false;
      }
      REQUIRE(table.ready(task) == free);
      if (free) ready.push_back(task);
    }
    const TaskId next = ready[pick(ready.size())];
    for (const TaskId follower : table.retire(next)) REQUIRE(table.ready(follower));
    ran[next] = true;
  }
  CHECK(table.size() == 0);
  CHECK(table.address_count() == 0);
}

}  // namespace

TEST_CASE("readers wait for the writer before them, the next writer for all of them") {
  AddressTable table;
  CHECK(table.add(1, Uses{{8, Mode::Write}}));
  CHECK_FALSE(table.add(2, Uses{{8, Mode::Read}}));
  CHECK_FALSE(table.add(3, Uses{{8, Mode::Read}}));
  CHECK_FALSE(table.add(4, Uses{{8, Mode::Write}}));
  CHECK(table.retire(1) == Tasks{2, 3});
  CHECK(table.retire(3).empty());
  CHECK(table.retire(2) == Tasks{4});
  CHECK(table.add(5, Uses{{16, Mode::Write}}));
}

TEST_CASE("a task that reads and writes an address waits for others, not for itself") {
  AddressTable table;
  CHECK(table.add(1, Uses{{8, Mode::Read}, {8, Mode::Write}, {8, Mode::Read}}));
  CHECK(table.add(2, Uses{}));
  CHECK_FALSE(table.add(3, Uses{{8, Mode::Write}, {8, Mode::Write}}));
  CHECK(table.retire(1) == Tasks{3});
}

TEST_CASE("retired tasks leave nothing behind, so an id may be used again") {
  AddressTable table;
  for (int round = 0; round < 3; ++round) {
    CHECK(table.add(1, Uses{{8, Mode::Write}, {16, Mode::Read}}));
    CHECK(table.retire(1).empty());
    CHECK(table.address_count() == 0);
  }
}

TEST_CASE("all programs of three tasks on two addresses, run first come and last come") {
  std::vector<Uses> shapes;
  for (unsigned shape = 0; shape < 25; ++shape) shapes.push_back(uses_of(shape));
  for (const Uses& a : shapes) {
    for (const Uses& b : shapes) {
      for (const Uses& c : shapes) {
        check_against_pairs({a, b, c}, [](std::size_t) { return std::size_t{0}; });
        check_against_pairs({a, b, c}, [](std::size_t count) { return count - 1; });
      }
    }
  }
}

TEST_CASE("random programs") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::vector<Uses> program(30);
    for (Uses& uses : program) {
      uses.resize(random() % 6);
      for (AddressUse& use : uses)
        use = {random() % 8, random() % 2 == 0 ? Mode::Read : Mode::Write};
    }
    check_against_pairs(program, [&](std::size_t count) { return random() % count; });
  }
}
