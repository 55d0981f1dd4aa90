// SPDX-License-Identifier: Apache-2.0
//
// Locks under the explorer: one thread at a time is inside, sees what the one before wrote, and no
// wake-up is lost.
#include <doctest/doctest.h>

#include "explore/must_hold.hpp"
#include "omp/nest_lock.hpp"

using namespace myr;

namespace {

// All threads enter once each; `enter` says whether one is inside, which then adds 1.
template <class Enter, class Leave>
void add_inside(explore::Threads& threads, int thread_count, Enter enter, Leave leave) {
  sync::Plain<int> sum{0};
  sync::Atomic<int> entered{0};
  for (int i = 1; i <= thread_count; ++i) {
    threads.start([&, i] {
      if (!enter(i)) return;
      sum = sum + 1;
      leave(i);
      entered.fetch_add(1, sync::relaxed);
    });
  }
  threads.join();
  explore::check(sum == entered.load(sync::relaxed), "nobody's addition is lost");
}

}  // namespace

TEST_CASE("one thread at a time holds a lock, and each gets it") {
  explore::must_hold([](explore::Threads& threads) {
    omp::Mutex mutex;
    const auto lock = [&](int) {
      mutex.lock();
      return true;
    };
    add_inside(threads, 3, lock, [&](int) { mutex.unlock(); });
  });
}

TEST_CASE("who tries a lock has it or has nothing") {
  explore::must_hold([](explore::Threads& threads) {
    omp::Mutex mutex;
    const auto lock = [&](int) { return mutex.try_lock(); };
    add_inside(threads, 3, lock, [&](int) { mutex.unlock(); });
  });
}

TEST_CASE("a task may set its nested lock again, others wait until it is free") {
  explore::must_hold([](explore::Threads& threads) {
    omp::NestLock nest{};
    int owners[3];
    const auto lock = [&](int i) {
      explore::check(omp::set_nested(&nest, &owners[i], true) == 1, "set once");
      explore::check(omp::set_nested(&nest, &owners[i], false) == 2, "set twice");
      return true;
    };
    const auto unlock = [&](int) {
      omp::unset_nested(&nest);
      omp::unset_nested(&nest);
    };
    add_inside(threads, 2, lock, unlock);
  });
}

TEST_CASE("so may a thread its nested lock of OpenMP 2.5") {
  explore::must_hold([](explore::Threads& threads) {
    omp::OldNestLock nest{};
    const auto lock = [&](int i) {
      const auto owner = static_cast<std::uint32_t>(i);
      explore::check(omp::set_nested(&nest, owner, true) == 1, "set once");
      explore::check(omp::set_nested(&nest, owner, false) == 2, "set twice");
      return true;
    };
    const auto unlock = [&](int) {
      omp::unset_nested(&nest);
      omp::unset_nested(&nest);
    };
    add_inside(threads, 2, lock, unlock);
  });
}
