// SPDX-License-Identifier: Apache-2.0
#include "check/footprints.hpp"

#include <doctest/doctest.h>

#include <map>
#include <vector>

using namespace myr::check;

namespace {

// Memory from 1000 to 2000 is of regions, 100 bytes each; region n is in region n - 1.
class Regions final : public Footprints::Memory {
 public:
  bool is_in(const void* address, myr_region region) const override {
    const auto at = reinterpret_cast<std::uint64_t>(address);
    return 1000 <= at && at < 2000 && region <= (at - 1000) / 100;
  }
  bool encloses(myr_region outer, myr_region inner) const override { return outer <= inner; }
  bool is_left(const void* address) const override {
    return reinterpret_cast<std::uint64_t>(address) / 1000 == 2;
  }
  bool is_of_tasks(const void* address) const override {
    return reinterpret_cast<std::uint64_t>(address) / 1000 == 5;
  }
};

const myr_site kFirst{"a.cpp", "f", 1, 1};
const myr_site kSecond{"a.cpp", "f", 2, 1};
constexpr std::uint64_t kStack = std::uint64_t{1} << 40;

struct Fixture {
  Regions memory;
  Footprints footprints;

  // An object of 80 bytes in each region.
  Fixture() {
    footprints.start(memory, kStack);
    for (std::uint64_t at = 1000; at != 2000; at += 100) {
      footprints.allocated(at, 80, nullptr, &kFirst);
    }
  }

  static myr_access bytes(std::uint64_t begin, std::uint64_t count, unsigned mode) {
    return myr_make_access(reinterpret_cast<void*>(begin), count, mode);
  }
  void begin_at(const std::vector<myr_access>& accesses, const myr_site& site, std::uint64_t stack,
                bool is_first_of_two = false) {
    footprints.begin({.site = &site,
                      .accesses = accesses.data(),
                      .access_count = accesses.size(),
                      .closure = nullptr,
                      .stack = reinterpret_cast<const void*>(stack),
                      .is_first_of_two = is_first_of_two,
                      .stays = false});
  }
  void begin(const std::vector<myr_access>& accesses, const myr_site& site = kFirst) {
    begin_at(accesses, site, kStack);
  }
  void run(const std::vector<myr_access>& accesses, const myr_site& site = kFirst) {
    begin(accesses, site);
    footprints.end();
  }
  Mistake look(const Touch& touch) { return footprints.look(touch, kStack - 500).mistake; }
  Mistake reads(std::uint64_t address, std::uint64_t count = 8) {
    const Mistake mistake = look({address, count, false, nullptr});
    return mistake == Mistake::ReadsAlone ? Mistake::None : mistake;
  }
  Mistake writes(std::uint64_t address, std::uint64_t count = 8) {
    return look({address, count, true, nullptr});
  }
};

}  // namespace

TEST_CASE("a task may do what it declares, byte by byte") {
  Fixture f;
  f.begin({Fixture::bytes(100, 50, MYR_IN), Fixture::bytes(150, 50, MYR_INOUT)});
  CHECK(f.reads(100, 100) == Mistake::None);
  CHECK(f.writes(150, 50) == Mistake::None);
  CHECK(f.writes(149, 2) == Mistake::ReadOnly);
}

TEST_CASE("what nobody declares may be used by one task, or by those that wait for each other") {
  Fixture f;
  f.begin({Fixture::bytes(100, 8, MYR_INOUT)}, kFirst);
  CHECK(f.writes(500) == Mistake::Alone);
  CHECK(f.reads(600) == Mistake::None);
  f.footprints.end();
  f.begin({Fixture::bytes(100, 8, MYR_IN)}, kSecond);
  CHECK(f.writes(500) == Mistake::Alone);
  f.footprints.end();
  f.begin({}, kSecond);
  CHECK(f.reads(600) == Mistake::None);
  CHECK(f.reads(500) == Mistake::Unordered);
  CHECK(f.writes(600) == Mistake::Unordered);
  f.footprints.end();
  CHECK(f.footprints.take_late().empty());
  f.footprints.wait_all();
  f.begin({}, kSecond);
  CHECK(f.writes(500) == Mistake::Alone);
}

TEST_CASE("what is read without a declaration is told apart from what is written") {
  Fixture f;
  f.begin({Fixture::bytes(100, 8, MYR_IN)});
  CHECK(f.look({100, 8, false, nullptr}) == Mistake::None);
  CHECK(f.look({600, 8, false, nullptr}) == Mistake::ReadsAlone);
  CHECK(f.look({600, 8, true, nullptr}) == Mistake::Alone);
}

TEST_CASE("who declares later what another one uses without a declaration shows a mistake") {
  Fixture f;
  f.begin({}, kFirst);
  CHECK(f.reads(100) == Mistake::None);
  f.footprints.end();
  f.run({Fixture::bytes(104, 2, MYR_OUT)}, kSecond);
  const std::vector<Finding> late = f.footprints.take_late();
  REQUIRE(late.size() == 1);
  CHECK(late[0].mistake == Mistake::Unordered);
  CHECK(late[0].task == &kFirst);
  CHECK(late[0].other == &kSecond);
  CHECK(late[0].first_wrong == 104);
  f.begin({}, kFirst);
  CHECK(f.reads(100) == Mistake::Unordered);
}

TEST_CASE("a task's frames, closure and what it allocates are its own") {
  Fixture f;
  f.begin({}, kSecond);
  CHECK(f.reads(kStack) == Mistake::None);
  CHECK(f.reads(300) == Mistake::None);
  f.footprints.end();
  f.begin({});
  CHECK(f.writes(kStack - 8) == Mistake::None);
  CHECK(f.writes(kStack) == Mistake::Unordered);
  CHECK(f.writes(5100) == Mistake::None);
  CHECK(f.writes(300) == Mistake::Unordered);
  f.footprints.allocated(300, 50, nullptr, nullptr);
  CHECK(f.writes(300, 50) == Mistake::None);
}

TEST_CASE("what is in a region must be declared, by the region or one around it") {
  Fixture f;
  f.begin({myr_in_region(3), myr_inout_region(5)});
  CHECK(f.reads(1300) == Mistake::None);
  CHECK(f.writes(1300) == Mistake::ReadOnly);
  CHECK(f.writes(1500) == Mistake::None);
  CHECK(f.writes(1900) == Mistake::None);
  CHECK(f.reads(1200) == Mistake::Undeclared);
  CHECK(f.reads(1376) == Mistake::Outside);
  CHECK(f.writes(1580) == Mistake::Outside);
  CHECK(f.reads(1280) == Mistake::Outside);
}

TEST_CASE("what has been freed nobody touches") {
  Fixture f;
  CHECK(f.footprints.is_free());
  f.footprints.freed(1300, &kSecond);
  CHECK(!f.footprints.is_free());
  CHECK(f.reads(1376) == Mistake::Freed);
  CHECK(f.footprints.block_around(1300).freed == &kSecond);
  CHECK(f.reads(1400) == Mistake::None);
  f.begin({myr_inout_region(3)});
  CHECK(f.writes(1300) == Mistake::Freed);
  f.footprints.end();
  f.footprints.wait_all();
  f.footprints.allocated(1300, 16, nullptr, &kFirst);
  CHECK(f.writes(1300) == Mistake::None);
  CHECK(f.writes(2000) == Mistake::Freed);
}

TEST_CASE("tasks may use together what they declare so, in any order") {
  Fixture f;
  f.run({Fixture::bytes(100, 8, MYR_INOUT | MYR_COMMUTATIVE)});
  f.begin({Fixture::bytes(100, 8, MYR_INOUT | MYR_COMMUTATIVE)});
  CHECK(f.writes(100) == Mistake::None);
  CHECK(f.writes(500) == Mistake::Alone);
  f.footprints.end();
  f.begin({Fixture::bytes(100, 8, MYR_INOUT | MYR_COMMUTATIVE)});
  CHECK(f.writes(500) == Mistake::Alone);  // one after the other
  f.footprints.end();
  f.begin({Fixture::bytes(300, 8, MYR_INOUT | MYR_COMMUTATIVE)});
  CHECK(f.writes(500) == Mistake::Unordered);
  f.footprints.end();
  f.begin({Fixture::bytes(100, 8, MYR_IN), Fixture::bytes(300, 8, MYR_IN)});
  CHECK(f.writes(500) == Mistake::Alone);
}

TEST_CASE("what tasks declare as concurrent they keep in order by themselves") {
  Fixture f;
  const myr_access shared = Fixture::bytes(100, 8, MYR_INOUT | MYR_CONCURRENT);
  const auto adds = [&] { return f.look({100, 8, true, nullptr, true}); };
  f.begin({shared});
  CHECK(adds() == Mistake::None);
  f.footprints.end();
  f.begin({shared});
  CHECK(adds() == Mistake::None);
  CHECK(f.writes(100) == Mistake::Together);
  f.footprints.end();
  f.begin({Fixture::bytes(100, 8, MYR_INOUT)});
  CHECK(f.writes(100) == Mistake::None);
  CHECK(f.footprints.take_late().empty());
}

TEST_CASE("tasks that hold the same lock do not touch memory at the same time") {
  Fixture f;
  const auto writes_under = [&](Locks::Lock lock) {
    f.begin({});
    f.footprints.lock(lock);
    const Mistake mistake = f.writes(500);
    f.footprints.unlock(lock.id);
    f.footprints.end();
    return mistake;
  };
  CHECK(writes_under({1, false}) == Mistake::Alone);
  CHECK(writes_under({1, false}) == Mistake::Alone);
  CHECK(writes_under({1, true}) == Mistake::Alone);
  CHECK(writes_under({1, true}) == Mistake::Unordered);
  CHECK(writes_under({2, false}) == Mistake::Unordered);
  f.begin({});
  CHECK(f.reads(500) == Mistake::Unordered);
}

TEST_CASE("tasks with common bytes that both have as commutative come one after the other") {
  Fixture f;
  const auto writes_beside = [&](std::uint64_t first, std::uint64_t bytes) {
    f.begin({Fixture::bytes(first, bytes, MYR_INOUT | MYR_COMMUTATIVE)});
    const Mistake mistake = f.writes(500);
    f.footprints.end();
    return mistake;
  };
  CHECK(writes_beside(100, 8) == Mistake::Alone);
  CHECK(writes_beside(104, 8) == Mistake::Alone);
  CHECK(writes_beside(112, 8) == Mistake::Unordered);
}

TEST_CASE("who takes a pointer comes behind who has left it, and who counts to zero behind all") {
  constexpr std::uint64_t kPointer = std::uint64_t{1} << 32;
  Fixture f;
  f.begin({});
  CHECK(f.writes(500) == Mistake::Alone);
  f.footprints.leave(kPointer);
  f.footprints.count(700, false);
  f.footprints.end();
  f.begin({});
  f.footprints.take(kPointer + 8);
  CHECK(f.reads(500) == Mistake::Unordered);
  f.footprints.take(kPointer);
  CHECK(f.reads(500) == Mistake::None);
  f.footprints.count(700, false);
  f.footprints.end();
  f.begin({});
  CHECK(f.writes(500) == Mistake::Unordered);
  f.footprints.count(700, true);
  CHECK(f.writes(508) == Mistake::Alone);
  CHECK(f.writes(500) == Mistake::Alone);
}

TEST_CASE("who finds what another task has made comes behind it") {
  Fixture f;
  const auto make = [&](std::uint64_t first) {
    f.footprints.allocated(first, 32, nullptr, nullptr);
    f.footprints.made_by_program(first, 32, nullptr);
  };
  f.begin({Fixture::bytes(100, 8, MYR_INOUT)});
  make(500);
  make(600);
  CHECK(f.writes(500) == Mistake::None);
  f.footprints.end();
  f.begin({Fixture::bytes(100, 8, MYR_IN)});
  CHECK(f.reads(500) == Mistake::None);
  f.footprints.end();
  f.begin({});
  CHECK(f.reads(500) == Mistake::Unordered);
  CHECK(f.footprints.give_back(500, 32, nullptr).mistake == Mistake::InUse);
  CHECK(!f.footprints.give_back(600, 32, nullptr));  // whoever it is, it may have made it
  f.footprints.end();
  CHECK(f.reads(500) == Mistake::None);  // main's children give it what they make
}

TEST_CASE("the copy that a task reduces with is its own, and the variable is not") {
  Fixture f;
  myr_access last = Fixture::bytes(100, 8, MYR_VALUE | MYR_IN);
  f.begin_at({last}, kFirst, kStack, true);
  CHECK(f.reads(300) == Mistake::None);
  CHECK(f.writes(300) == Mistake::Alone);
  CHECK(f.reads(100) == Mistake::Reduced);
  f.footprints.end();
  f.begin({Fixture::bytes(100, 8, MYR_INOUT)});
  CHECK(f.writes(100) == Mistake::None);
  CHECK(f.reads(300) == Mistake::None);  // it waits for the first one
}

TEST_CASE("memory and frames that tasks may still use do not go") {
  Fixture f;
  f.run({Fixture::bytes(100, 8, MYR_IN)});
  f.begin_at({Fixture::bytes(kStack - 808, 8, MYR_OUT)}, kSecond, kStack - 1000);
  f.footprints.end();
  CHECK(f.footprints.give_back(96, 32, nullptr).mistake == Mistake::InUse);
  CHECK(!f.footprints.give_back(200, 32, nullptr));
  CHECK(f.footprints.lowest_frame() == kStack - 808);
  f.footprints.left_frames(kStack - 816);
  CHECK(f.footprints.take_late().empty());
  f.footprints.left_frames(kStack - 800);
  const std::vector<Finding> late = f.footprints.take_late();
  REQUIRE(late.size() == 1);
  CHECK(late[0].mistake == Mistake::Dangling);
  CHECK(late[0].task == &kSecond);
  f.footprints.wait_all();
  CHECK(!f.footprints.give_back(96, 32, nullptr));
}

TEST_CASE("who waits for what tasks use together waits for all of them") {
  Fixture f;
  const myr_access together = Fixture::bytes(100, 8, MYR_INOUT | MYR_COMMUTATIVE);
  f.run({together});
  f.run({together});
  CHECK(f.writes(100) == Mistake::ChildWrites);
  f.footprints.wait(&together, 1);
  CHECK(f.writes(100) == Mistake::None);
}

TEST_CASE("a parent keeps off what its children use until it has waited") {
  Fixture f;
  CHECK(f.footprints.is_free());
  f.run({Fixture::bytes(100, 50, MYR_IN)});
  f.run({Fixture::bytes(200, 50, MYR_OUT)}, kSecond);
  f.run({myr_inout_region(4)});
  CHECK(!f.footprints.is_free());
  CHECK(f.reads(100) == Mistake::None);
  CHECK(f.writes(149) == Mistake::ChildReads);
  CHECK(f.reads(200) == Mistake::ChildWrites);
  CHECK(f.reads(1400) == Mistake::ChildWrites);
  CHECK(f.writes(160) == Mistake::None);
  const myr_access access = Fixture::bytes(249, 1, MYR_IN);
  f.footprints.wait(&access, 1);
  CHECK(f.reads(200) == Mistake::None);
  CHECK(f.writes(149) == Mistake::ChildReads);
  CHECK(f.reads(1400) == Mistake::ChildWrites);
  const myr_access object = Fixture::bytes(1400, 8, MYR_IN);
  f.footprints.wait(&object, 1);
  CHECK(f.reads(1400) == Mistake::None);
  f.footprints.wait_all();
  CHECK(f.footprints.is_free());
  CHECK(f.writes(149) == Mistake::None);
}

TEST_CASE("memory that is allocated again is not what a child used") {
  Fixture f;
  f.footprints.allocated(100, 50, nullptr, nullptr);
  f.run({Fixture::bytes(100, 50, MYR_IN)});
  CHECK(f.writes(100) == Mistake::ChildReads);
  f.footprints.gone(100, 50);
  f.footprints.allocated(100, 20, nullptr, nullptr);
  CHECK(f.writes(100) == Mistake::None);
}

TEST_CASE("who waits for a child waits for those that the child waits for") {
  Fixture f;
  f.run({Fixture::bytes(100, 50, MYR_OUT)});
  f.run({Fixture::bytes(100, 50, MYR_IN), Fixture::bytes(200, 50, MYR_OUT)});
  f.run({Fixture::bytes(300, 50, MYR_OUT)});
  const myr_access access = Fixture::bytes(200, 50, MYR_IN);
  f.footprints.wait(&access, 1);
  CHECK(f.writes(100, 50) == Mistake::None);
  CHECK(f.reads(300) == Mistake::ChildWrites);
}

TEST_CASE("who waits for a task waits for its children that have declared the same") {
  Fixture f;
  f.begin({Fixture::bytes(100, 50, MYR_INOUT)});
  f.run({Fixture::bytes(100, 8, MYR_INOUT)});
  f.footprints.end();
  CHECK(f.writes(100) == Mistake::ChildWrites);
  f.run({Fixture::bytes(100, 50, MYR_IN), Fixture::bytes(200, 8, MYR_OUT)});
  const myr_access access = Fixture::bytes(200, 8, MYR_IN);
  f.footprints.wait(&access, 1);
  CHECK(f.writes(100, 50) == Mistake::None);
}

TEST_CASE("what is allowed for sure is what a look finds nothing wrong with and need not note") {
  Fixture f;
  f.begin({Fixture::bytes(100, 50, MYR_IN)});
  CHECK(f.footprints.allows({100, 50, false, nullptr}, kStack));
  CHECK(!f.footprints.allows({100, 51, false, nullptr}, kStack));
  CHECK(!f.footprints.allows({100, 50, true, nullptr}, kStack));
  CHECK(!f.footprints.allows({500, 8, false, nullptr}, kStack));
}

TEST_CASE("of two regions those wait for each other of which one is in the other") {
  Fixture f;
  f.run({myr_inout_region(3)}, kFirst);  // which is around 5
  CHECK(f.reads(1500) == Mistake::ChildWrites);
  const myr_access inner = myr_in_region(5);
  f.footprints.wait(&inner, 1);
  CHECK(f.reads(1500) == Mistake::None);
}

TEST_CASE("what has just been made in a region no child before can know") {
  Fixture f;
  f.run({myr_inout_region(3)});
  f.footprints.allocated(1300, 16, nullptr, &kSecond);
  CHECK(f.writes(1300, 16) == Mistake::None);
  CHECK(f.writes(1400) == Mistake::ChildWrites);
  CHECK(f.footprints.block_around(1310).site == &kSecond);
  f.run({myr_in_region(3)}, kSecond);
  CHECK(f.reads(1300) == Mistake::None);
  CHECK(f.writes(1300) == Mistake::ChildReads);
}

TEST_CASE("who comes behind a task waits for those to which it gave memory of its own") {
  for (const bool is_own : {false, true}) {
    Fixture f;
    f.begin({Fixture::bytes(100, 8, MYR_INOUT)}, kFirst);
    f.run({Fixture::bytes(is_own ? 500 : 100, 8, MYR_INOUT)}, kSecond);
    f.run({Fixture::bytes(is_own ? 600 : 100, 8, MYR_INOUT)}, kSecond);
    f.footprints.end();
    f.begin({Fixture::bytes(104, 1, MYR_IN)}, kFirst);
    CHECK(f.reads(500) == Mistake::None);
  }
}

TEST_CASE("who waits for a task waits for those below it that use the same region") {
  Fixture f;
  f.begin({myr_inout_region(3)}, kFirst);
  f.begin({myr_inout_region(4)}, kFirst);
  CHECK(f.writes(500) == Mistake::Alone);
  f.run({Fixture::bytes(1500, 8, MYR_INOUT)}, kFirst);
  f.footprints.end();
  f.footprints.end();
  f.begin({myr_in_region(5)}, kSecond);
  CHECK(f.reads(500) == Mistake::None);
  f.footprints.end();
  f.begin({Fixture::bytes(1300, 8, MYR_INOUT)}, kSecond);
  CHECK(f.writes(500) == Mistake::Unordered);
}

TEST_CASE("a task waits for those to which it has lent its frames without a declaration") {
  for (const bool waits : {false, true}) {
    Fixture f;
    f.begin({}, kFirst);
    f.begin_at({}, kSecond, kStack - 100);
    CHECK(f.writes(kStack - 8) == Mistake::Alone);
    f.footprints.end();
    if (waits) f.footprints.wait_all();
    f.footprints.end();
    const std::vector<Finding> late = f.footprints.take_late();
    REQUIRE(late.size() == (waits ? 0 : 1));
    if (waits) continue;
    CHECK(late[0].mistake == Mistake::Dangling);
    CHECK(late[0].task == &kSecond);
    CHECK(late[0].other == &kFirst);
  }
}

TEST_CASE("who declares weakly may not use it, but what it spawns may") {
  Fixture f;
  f.run({Fixture::bytes(100, 8, MYR_OUT)}, kFirst);
  constexpr unsigned kWeak = MYR_NOTRANSFER | MYR_WEAK;
  f.begin({Fixture::bytes(100, 8, MYR_INOUT | kWeak), myr_inout_region(5)}, kSecond);
  CHECK(f.writes(100) == Mistake::PassedOn);
  f.begin({Fixture::bytes(100, 8, MYR_INOUT)}, kSecond);
  CHECK(f.writes(100) == Mistake::None);
  f.footprints.end();
  const myr_access waited = Fixture::bytes(100, 8, MYR_IN);
  f.footprints.wait(&waited, 1);
  CHECK(f.writes(100) == Mistake::None);
  f.footprints.end();
  CHECK(f.footprints.take_late().empty());
}

TEST_CASE("what is not transferred to a task it may use when it has waited") {
  Fixture f;
  f.begin({myr_region_access(5, MYR_IN | MYR_NOTRANSFER), Fixture::bytes(100, 8, MYR_INOUT)},
          kSecond);
  CHECK(f.reads(1500) == Mistake::PassedOn);
  CHECK(f.reads(1400) == Mistake::Undeclared);
  CHECK(f.writes(100) == Mistake::None);
  f.footprints.wait_all();
  CHECK(f.reads(1500) == Mistake::None);
  CHECK(f.writes(1500) == Mistake::ReadOnly);
  f.footprints.end();
}

TEST_CASE("what two tasks declare is in no order if one above them does not") {
  for (const bool is_above : {false, true}) {
    Fixture f;
    f.begin({Fixture::bytes(200, 8, MYR_INOUT)}, kFirst);
    f.run({Fixture::bytes(200, 8, MYR_INOUT)}, kFirst);
    f.footprints.end();
    f.begin({Fixture::bytes(is_above ? 200 : 300, 8, MYR_INOUT)}, kSecond);
    f.run({Fixture::bytes(200, 8, MYR_INOUT)}, kSecond);
    const std::vector<Finding> late = f.footprints.take_late();
    CHECK(late.empty() == is_above);
    if (!is_above) CHECK(late[0].mistake == Mistake::Above);
  }
}
