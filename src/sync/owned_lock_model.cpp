// SPDX-License-Identifier: Apache-2.0
//
// The lock that knows its holder under the explorer: one thread at a time is inside and sees what
// the one before wrote, and no wake-up is lost.
#include <doctest/doctest.h>

#include "explore/must_hold.hpp"
#include "sync/owned_lock.hpp"

using namespace myr;

TEST_CASE("one thread at a time holds the lock, and each gets it") {
  explore::must_hold({.preemptions_max = 3}, [](explore::Threads& threads) {
    sync::OwnedLock lock;
    sync::Plain<int> inside{0};
    for (std::uint64_t self = 1; self <= 2; ++self) {
      threads.start([&lock, &inside, self] {
        explore::check(lock.enter(self), "nobody else is this thread");
        inside = inside + 1;
        explore::check(!lock.enter(self), "a thread would not wait for itself");
        lock.leave();
      });
    }
    threads.join();
    explore::check(inside == 2, "both were inside");
  });
}
