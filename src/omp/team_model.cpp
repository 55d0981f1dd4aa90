// SPDX-License-Identifier: Apache-2.0
//
// Regions under the explorer: how teams start, meet and end, whatever their threads do meanwhile.
#include <doctest/doctest.h>

#include <array>

#include "explore/must_hold.hpp"
#include "omp/abi.hpp"
#include "omp/world_model.hpp"

using namespace myr;
using omp::Thread;
using omp::World;

MYR_OMP_API bool GOMP_single_start();
MYR_OMP_API void* GOMP_single_copy_start();
MYR_OMP_API void GOMP_single_copy_end(void* data);

namespace {

using Results = std::array<sync::Plain<int>, 3>;

void write(Results& results, Thread& self, int value) { results[self.at.index] = value; }
void check_all(const Results& results, unsigned count, int value) {
  for (unsigned i = 0; i < count; ++i) explore::check(results[i] == value, "all have come so far");
}

constexpr explore::Options kShort{.preemptions_max = 3, .stale_reads_max = 1};
constexpr explore::Options kLong{.preemptions_max = 2, .stale_reads_max = 1};

}  // namespace

TEST_CASE("the master sees what the threads of a region wrote, and they what it wrote before") {
  omp::must_hold(kShort, 1, [](Thread& master) {
    sync::Plain<int> given{1};
    Results results;
    omp::parallel(master, 2, [&](Thread& self) { write(results, self, given); });
    check_all(results, 2, 1);
  });
}

TEST_CASE("a team that is used again is as new") {
  omp::must_hold(kLong, 1, [](Thread& master) {
    sync::Plain<int> given{0};
    Results results;
    for (int turn = 1; turn <= 2; ++turn) {
      given = turn;
      omp::parallel(master, 2, [&](Thread& self) { write(results, self, given); });
      check_all(results, 2, turn);
    }
  });
}

TEST_CASE("of three threads, too") {
  omp::must_hold({.preemptions_max = 0, .stale_reads_max = 1}, 2, [](Thread& master) {
    Results results;
    omp::parallel(master, 3, [&](Thread& self) { write(results, self, 1); });
    check_all(results, 3, 1);
  });
}

TEST_CASE("nobody leaves a barrier before all have come, again and again") {
  omp::must_hold(kLong, 1, [](Thread& master) {
    Results results;
    omp::parallel(master, 2, [&](Thread& self) {
      write(results, self, 1);
      explore::check(!omp::barrier(self), "the region is not cancelled");
      check_all(results, 2, 1);
      omp::barrier(self);
      write(results, self, 2);
    });
    check_all(results, 2, 2);
  });
}

TEST_CASE("a cancelled region ends without those who do not come to its barrier") {
  omp::must_hold(kLong, 1, [](Thread& master) {
    sync::Plain<int> written{0};
    omp::parallel(master, 2, [&](Thread& self) {
      if (self.at.index == 0) {
        explore::check(omp::barrier(self), "the other thread never comes");
      } else {
        written = 1;
        omp::cancel_region(*self.at.team);
      }
    });
    explore::check(written == 1, "it has ended");
  });
}

TEST_CASE("one thread runs each single, and its values reach the others") {
  omp::must_hold(kLong, 1, [](Thread& master) {
    sync::Atomic<int> runs{0};
    omp::parallel(master, 2, [&](Thread&) {
      if (GOMP_single_start()) runs.fetch_add(1, sync::relaxed);
      if (GOMP_single_start()) runs.fetch_add(1, sync::relaxed);
    });
    explore::check(runs.load(sync::relaxed) == 2, "each ran once");
  });
}

TEST_CASE("copyprivate hands on what the single wrote") {
  omp::must_hold({.preemptions_max = 1, .stale_reads_max = 1}, 1, [](Thread& master) {
    sync::Plain<int> value{0};
    omp::parallel(master, 2, [&](Thread&) {
      void* copied = GOMP_single_copy_start();
      if (copied == nullptr) {
        value = 1;
        GOMP_single_copy_end(&value);
      } else {
        explore::check(*static_cast<sync::Plain<int>*>(copied) == 1, "what the single wrote");
      }
    });
  });
}
