// SPDX-License-Identifier: Apache-2.0
//
// Events under the explorer: no post is missed. A lost one shows as "all threads that are left
// sleep".
#include <doctest/doctest.h>

#include "explore/must_hold.hpp"
#include "omp/event.hpp"

using namespace myr;
using omp::Event;

namespace {

// A change that sleepers wait for. `is_task`: it is posted as a task is.
struct Change {
  Event event;
  sync::Atomic<int> made{0};
  sync::Plain<int> message{0};

  void wait(int count, bool is_task) {
    while (made.load(sync::acquire) < count) {
      const std::uint32_t epoch = event.announce(is_task);
      if (made.load(sync::acquire) < count) event.wait(epoch);
      event.leave();
    }
    explore::check(message == 1, "who sees a change sees what was written before it");
  }
  // Sleeps at most once, and then knows only that somebody posted.
  void sleep(bool& slept) {
    const std::uint32_t epoch = event.announce(false);
    if (made.load(sync::relaxed) == 0) {
      event.wait(epoch);
      slept = true;
    }
    event.leave();
  }
  void make() { made.fetch_add(1, sync::release); }
};

}  // namespace

TEST_CASE("all that sleep see a change that was made before the post") {
  explore::must_hold({.preemptions_max = 2}, [](explore::Threads& threads) {
    Change change;
    threads.start([&] {
      change.message = 1;
      change.make();
      change.event.post(omp::kAll);
    });
    for (int i = 0; i < 2; ++i) threads.start([&] { change.wait(1, false); });
    threads.join();
  });
}

TEST_CASE("a post of a task is seen by sleepers that know of tasks") {
  explore::must_hold([](explore::Threads& threads) {
    Change change;
    threads.start([&] {
      change.message = 1;
      change.make();
      change.event.offer_task();
    });
    threads.start([&] { change.wait(1, true); });
    threads.join();
  });
}

TEST_CASE("two posts for one each wake two") {
  explore::must_hold({.preemptions_max = 2, .stale_reads_max = 0}, [](explore::Threads& threads) {
    Change change;
    change.message = 1;
    for (int i = 0; i < 2; ++i) {
      threads.start([&] {
        change.make();
        change.event.post(1);
      });
    }
    // The first of them may need both posts, the other one.
    threads.start([&] { change.wait(1, false); });
    threads.start([&] { change.wait(1, false); });
    threads.join();
  });
}

TEST_CASE("who wakes sees what the poster wrote") {
  explore::must_hold([](explore::Threads& threads) {
    Change change;
    threads.start([&] {
      change.message = 1;
      change.event.post(omp::kAll);
      change.make();
      change.event.post(omp::kAll);
    });
    threads.start([&] {
      bool slept = false;
      change.sleep(slept);
      if (slept) explore::check(change.message == 1, "written before any post");
    });
    threads.join();
  });
}

TEST_CASE("a post to a thread whose word that it sleeps was read needs no fence") {
  explore::must_hold([](explore::Threads& threads) {
    Change change;
    sync::Atomic<int> sleeps{0};  // as in Task::balance: both say it in one word
    threads.start([&] {
      const std::uint32_t epoch = change.event.announce(false);
      if (sleeps.fetch_add(1, sync::release) == 0) change.event.wait(epoch);
      change.event.leave();
    });
    threads.start([&] {
      if (sleeps.fetch_add(2, sync::acquire) == 1) change.event.post_seen(omp::kAll);
    });
    threads.join();
  });
}
