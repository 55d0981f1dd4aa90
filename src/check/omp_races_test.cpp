// SPDX-License-Identifier: Apache-2.0
#include "check/omp_races.hpp"

#include <doctest/doctest.h>

using namespace myr::check;

namespace {

// Two threads of a region.
struct TwoThreads {
  Races races;
  Races::Runner one;
  Races::Runner other;

  TwoThreads() {
    for (Races::Runner* runner : {&one, &other}) {
      runner->strand = races.strands().begin({Strands::kFirst});
      const std::uint32_t thread = runner == &one ? 0 : 1;
      runner->part = races.add_part({.thread = thread, .number = thread});
    }
  }
  bool touch(const Races::Runner& runner, std::uint64_t address, std::uint64_t bytes, bool writes,
             bool is_atomic = false, bool is_own = false) {
    static const char place = 0;
    const Touch touch{address, bytes, writes, &place, is_atomic};
    return static_cast<bool>(races.look(touch, runner, is_own));
  }
  bool write(const Races::Runner& runner, std::uint64_t address, std::uint64_t bytes = 4) {
    return touch(runner, address, bytes, true);
  }
  bool read(const Races::Runner& runner, std::uint64_t address, std::uint64_t bytes = 4) {
    return touch(runner, address, bytes, false);
  }
};

}  // namespace

TEST_CASE_FIXTURE(TwoThreads, "two threads that write the same bytes have a race") {
  CHECK_FALSE(write(one, 100));
  CHECK_FALSE(write(one, 100));
  CHECK(write(other, 103, 1));
  CHECK_FALSE(write(other, 104));
}

TEST_CASE_FIXTURE(TwoThreads, "readers have none, and a writer has one with each of them") {
  CHECK_FALSE(read(one, 100));
  CHECK_FALSE(read(other, 100));
  CHECK(write(one, 100));
}

TEST_CASE_FIXTURE(TwoThreads, "bytes over several words are looked at in all of them") {
  CHECK_FALSE(write(one, 117, 1));
  CHECK(read(other, 100, 32));
}

TEST_CASE_FIXTURE(TwoThreads, "a barrier orders them") {
  CHECK_FALSE(write(one, 100));
  other.strand = races.strands().go_on(other.strand, {one.strand});
  CHECK_FALSE(write(other, 100));
}

TEST_CASE_FIXTURE(TwoThreads, "a common lock orders them, and another one does not") {
  one.locks = races.locks().with(races.locks().with(Locks::kNone, {1}), {2});
  other.locks = races.locks().with(Locks::kNone, {2});
  CHECK_FALSE(write(one, 100));
  CHECK_FALSE(write(other, 100));
  other.locks = races.locks().without(races.locks().with(other.locks, {3}), 2);
  CHECK(write(other, 100));
}

TEST_CASE_FIXTURE(TwoThreads, "what is read under a lock comes behind what was written under it") {
  one.locks = races.locks().with(Locks::kNone, {1});
  other.locks = one.locks;
  CHECK_FALSE(write(one, 100));
  CHECK(races.senders({100, 4, false}, other) == std::vector<Strands::Id>{one.strand});
  other.locks = Locks::kNone;
  CHECK(races.senders({100, 4, false}, other).empty());
}

TEST_CASE_FIXTURE(TwoThreads, "atomic operations are in conflict with others only") {
  CHECK_FALSE(touch(one, 100, 4, true, true));
  CHECK_FALSE(touch(other, 100, 4, true, true));
  CHECK(read(other, 100));
}

TEST_CASE_FIXTURE(TwoThreads, "iterations that a thread executes may be another one's") {
  const Races::Runner first{.strand = races.strands().begin({Strands::kFirst}), .part = one.part};
  const Races::Runner second{.strand = races.strands().begin({Strands::kFirst}), .part = one.part};
  CHECK_FALSE(write(first, 100));
  CHECK(write(second, 100));
  SUBCASE("but each works on its frames") {
    CHECK_FALSE(touch(first, 200, 4, true, false, true));
    CHECK_FALSE(touch(second, 200, 4, true, false, true));
  }
  SUBCASE("and on what it has allocated") {
    races.allocated(300, 400, one.part);
    CHECK_FALSE(write(first, 300));
    CHECK_FALSE(write(second, 300));
  }
  SUBCASE("and on what its number leads to") {
    races.part(one.part).knows_thread = true;
    CHECK_FALSE(write(first, 500));
    CHECK_FALSE(write(second, 500));
  }
}

TEST_CASE_FIXTURE(TwoThreads, "freed memory is another one's") {
  CHECK_FALSE(write(one, 96, 16));
  races.forget(100, 108);
  CHECK_FALSE(write(other, 100, 8));
  CHECK(write(other, 96, 4));
}
