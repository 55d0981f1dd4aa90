// SPDX-License-Identifier: Apache-2.0
//
// The broadcast event under the explorer: sleepers with conditions of their own are all woken in
// the end. A lost wake-up shows as "all threads that are left sleep".
#include <doctest/doctest.h>

#include <array>

#include "explore/must_hold.hpp"
#include "sync/broadcast_event.hpp"

using namespace myr;

namespace {

struct Flag {
  sync::Atomic<bool> is_set{false};
  sync::Plain<int> message{0};

  void set(sync::BroadcastEvent& event) {
    message = 1;
    is_set.store(true, sync::release);
    event.post();
  }
  void wait(sync::BroadcastEvent& event) {
    while (!is_set.load(sync::acquire)) {
      const std::uint32_t seen = event.announce();
      if (!is_set.load(sync::acquire)) event.wait(seen);
      event.leave();
    }
    explore::check(message == 1, "the message is there");
  }
};

}  // namespace

TEST_CASE("a broadcast sleeper sees its flag") {
  explore::must_hold({.preemptions_max = 3}, [](explore::Threads& threads) {
    sync::BroadcastEvent event;
    Flag flag;
    threads.start([&] { flag.wait(event); });
    threads.start([&] { flag.set(event); });
    threads.join();
  });
}

TEST_CASE("two broadcast sleepers wait for flags that one thread sets") {
  explore::must_hold({.preemptions_max = 2, .stale_reads_max = 1}, [](explore::Threads& threads) {
    sync::BroadcastEvent event;
    std::array<Flag, 2> flags;
    for (Flag& flag : flags) threads.start([&] { flag.wait(event); });
    threads.start([&] {
      for (Flag& flag : flags) flag.set(event);
    });
    threads.join();
  });
}

TEST_CASE("a broadcast sleeper is woken by the second of two posters") {
  explore::must_hold({.preemptions_max = 2, .stale_reads_max = 1}, [](explore::Threads& threads) {
    sync::BroadcastEvent event;
    std::array<Flag, 2> flags;
    threads.start([&] {
      for (Flag& flag : flags) flag.wait(event);
    });
    for (Flag& flag : flags) threads.start([&] { flag.set(event); });
    threads.join();
  });
}
