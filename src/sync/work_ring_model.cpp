// SPDX-License-Identifier: Apache-2.0
//
// The work ring under the explorer: each item is taken exactly once, with its contents, and none is
// lost.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>

#include "explore/must_hold.hpp"
#include "sync/work_ring.hpp"

using namespace myr;

namespace {

struct Item {
  sync::Plain<int> content{0};  // written before the push, read after the take
  int taken = 0;                // counted by the test, which runs one thread at a time
};
using Ring = sync::WorkRing<Item, 2>;

// A ring with items in a known state, and what all threads do with what they take.
template <std::size_t kItems>
struct Bench {
  Ring ring;
  std::array<Item, kItems> items;

  bool push(std::size_t index) {
    items[index].content = 1;
    return ring.owner_push(&items[index]);
  }
  void use(Item* item) {
    if (item == nullptr) return;
    explore::check(item->content == 1, "the content is that of the push");
    item->content = 2;
    item->taken += 1;
  }
  // After all threads: takes the rest as the owner, and checks that `pushed` items were taken once
  // each.
  void settle(std::size_t pushed) {
    while (Item* item = ring.owner_pop()) use(item);
    for (std::size_t i = 0; i < kItems; ++i) {
      explore::check(items[i].taken == (i < pushed ? 1 : 0), "each item is taken exactly once");
    }
  }
};

}  // namespace

TEST_CASE("the owner and one thief take each item once") {
  explore::must_hold({.preemptions_max = 3}, [](explore::Threads& threads) {
    Bench<3> bench;
    threads.start([&] {
      explore::check(bench.push(0), "there is room");
      explore::check(bench.push(1), "there is room");
      bench.use(bench.ring.owner_pop());
      explore::check(bench.push(2), "there is room after a pop, whatever was stolen");
      bench.use(bench.ring.owner_pop());
    });
    threads.start([&] {
      bench.use(bench.ring.thief_take());
      bench.use(bench.ring.thief_take());
    });
    threads.join();
    bench.settle(3);
  });
}

TEST_CASE("two thieves and the owner compete for two items") {
  explore::must_hold({.preemptions_max = 2}, [](explore::Threads& threads) {
    Bench<2> bench;
    threads.start([&] {
      explore::check(bench.push(0) && bench.push(1), "there is room");
      bench.use(bench.ring.owner_pop());
    });
    for (int thief = 0; thief < 2; ++thief) {
      threads.start([&] { bench.use(bench.ring.thief_take()); });
    }
    threads.join();
    bench.settle(2);
  });
}

TEST_CASE("a ring loses nothing when it wraps around under two thieves") {
  explore::must_hold({.preemptions_max = 2}, [](explore::Threads& threads) {
    Bench<4> bench;
    std::size_t pushed = 0;
    threads.start([&] {
      while (pushed < 4 && bench.push(pushed)) pushed += 1;
    });
    threads.start([&] {
      Item* taken[2];
      const unsigned count = bench.ring.thief_take_some(taken, 2);
      for (unsigned i = 0; i < count; ++i) bench.use(taken[i]);
      bench.use(bench.ring.thief_take());
    });
    threads.start([&] { bench.use(bench.ring.thief_take()); });
    threads.join();
    explore::check(pushed >= 2, "an empty ring takes as many as it is large");
    bench.settle(pushed);
  });
}

TEST_CASE("a thief finds an item that was pushed before it looks") {
  explore::must_hold({.preemptions_max = 3}, [](explore::Threads& threads) {
    Bench<3> bench;
    sync::Atomic<bool> is_pushed{false};
    threads.start([&] {
      explore::check(bench.push(0), "there is room");
      is_pushed.store(true, sync::release);
      // The owner goes on above the item, which stays for the thief.
      explore::check(bench.push(1), "there is room");
      bench.use(bench.ring.owner_pop());
      explore::check(bench.push(2), "there is room");
    });
    threads.start([&] {
      if (!is_pushed.load(sync::acquire)) return;
      Item* item = bench.ring.thief_take();
      explore::check(item != nullptr, "there is something to take");
      bench.use(item);
    });
    threads.join();
    bench.settle(3);
  });
}
