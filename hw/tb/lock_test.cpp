// SPDX-License-Identifier: Apache-2.0
//
// The lock of the baselines in hw/firmware, on the host.
#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "ticket_lock.hpp"

TEST_CASE("a lock goes to those who wait by the order in which they came") {
  TicketLock lock;
  const std::uint32_t first = lock.take_ticket();
  const std::uint32_t second = lock.take_ticket();
  CHECK(lock.is_turn_of(first));
  CHECK_FALSE(lock.is_turn_of(second));
  lock.unlock();
  // A core that had the lock and comes back at once passes over no other.
  const std::uint32_t first_again = lock.take_ticket();
  CHECK(lock.is_turn_of(second));
  CHECK_FALSE(lock.is_turn_of(first_again));
  lock.unlock();
  CHECK(lock.is_turn_of(first_again));
}

TEST_CASE("a lock lets in one thread at a time") {
  constexpr unsigned kThreads = 3;
  constexpr unsigned kRounds = 200;
  TicketLock lock;
  unsigned count = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (unsigned round = 0; round < kRounds; ++round) {
        const std::uint32_t ticket = lock.take_ticket();
        while (!lock.is_turn_of(ticket)) std::this_thread::yield();
        count += 1;
        lock.unlock();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(count == kThreads * kRounds);
}
