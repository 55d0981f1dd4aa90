// SPDX-License-Identifier: Apache-2.0
//
// The event count under the explorer: no schedule and no outcome of weak memory loses a wake-up. A
// lost one shows as "all threads that are left sleep".
#include <doctest/doctest.h>

#include "explore/must_hold.hpp"
#include "sync/event_count.hpp"
#include "sync/work_ring.hpp"

using namespace myr;

namespace {

// Tickets to take, as a stand-in for work.
struct Tickets {
  sync::Atomic<int> left{0};
  sync::EventCount events;

  bool take() {
    int count = left.load(sync::acquire);
    while (count != 0) {
      if (left.compare_exchange_weak(count, count - 1, sync::acquire, sync::acquire)) return true;
    }
    return false;
  }
  void take_or_sleep() {
    while (!take()) {
      events.announce();
      if (take()) return events.cancel();
      events.wait();
    }
  }
  void add(int count) {
    left.fetch_add(count, sync::release);
    events.post(static_cast<std::uint32_t>(count));
  }
};

}  // namespace

TEST_CASE("a sleeper sees a flag that was set before the post") {
  explore::must_hold({.preemptions_max = 3}, [](explore::Threads& threads) {
    sync::Atomic<bool> flag{false};
    sync::EventCount events;
    sync::Plain<int> message{0};
    threads.start([&] {
      while (!flag.load(sync::acquire)) {
        events.announce();
        if (flag.load(sync::acquire)) {
          events.cancel();
          break;
        }
        events.wait();
      }
      explore::check(message == 1, "the message is there");
    });
    threads.start([&] {
      message = 1;
      flag.store(true, sync::release);
      events.post(1);
    });
    threads.join();
    explore::check(events.sleepers() == 0, "nobody is left announced");
  });
}

TEST_CASE("what was written before the post is there after the wait") {
  explore::must_hold({.preemptions_max = 3}, [](explore::Threads& threads) {
    sync::EventCount events;
    sync::Plain<int> message{0};
    threads.start([&] {
      events.announce();
      events.wait();
      explore::check(message == 1, "the message is there");
    });
    threads.start([&] {
      while (events.sleepers() == 0) sync::spin_pause();
      message = 1;
      events.post(1);
    });
    threads.join();
  });
}

TEST_CASE("a thread that cancels leaves a post to the other sleeper") {
  explore::must_hold({.preemptions_max = 3}, [](explore::Threads& threads) {
    Tickets tickets;
    threads.start([&] {
      tickets.events.announce();
      tickets.events.cancel();
    });
    threads.start([&] { tickets.take_or_sleep(); });
    threads.start([&] { tickets.add(1); });
    threads.join();
    explore::check(tickets.events.sleepers() == 0, "nobody is left announced");
  });
}

TEST_CASE("two sleepers share two changes of two posters") {
  const auto body = [](explore::Threads& threads) {
    Tickets tickets;
    for (int i = 0; i < 2; ++i) threads.start([&] { tickets.take_or_sleep(); });
    for (int i = 0; i < 2; ++i) threads.start([&] { tickets.add(1); });
    threads.join();
    explore::check(tickets.left.load(sync::relaxed) == 0, "all is taken");
    explore::check(tickets.events.sleepers() == 0, "nobody is left announced");
  };
  // Four threads: both bounds at once would take too long.
  explore::must_hold({.preemptions_max = 2, .stale_reads_max = 0}, body);
  explore::must_hold({.preemptions_max = 1, .stale_reads_max = 2}, body);
}

TEST_CASE("one post wakes as many as it says") {
  explore::must_hold({.preemptions_max = 2}, [](explore::Threads& threads) {
    Tickets tickets;
    for (int i = 0; i < 2; ++i) threads.start([&] { tickets.take_or_sleep(); });
    threads.start([&] { tickets.add(2); });
    threads.join();
    explore::check(tickets.events.sleepers() == 0, "nobody is left announced");
  });
}

TEST_CASE("a worker sleeps until its neighbour pushes into its ring") {
  explore::must_hold({.preemptions_max = 3}, [](explore::Threads& threads) {
    sync::WorkRing<int, 2> ring;
    sync::EventCount events;
    int item = 7;
    int* taken = nullptr;
    threads.start([&] {
      while ((taken = ring.thief_take()) == nullptr) {
        events.announce();
        taken = ring.thief_take();
        if (taken != nullptr) return events.cancel();
        events.wait();
      }
    });
    threads.start([&] {
      explore::check(ring.owner_push(&item), "there is room");
      events.post(1);
    });
    threads.join();
    explore::check(taken == &item, "the pushed item is taken");
  });
}
