// SPDX-License-Identifier: Apache-2.0
//
// A team that sleeps, under the explorer: no change is missed, whether it is for any member or for
// one. A lost wake-up shows as "all threads that are left sleep".
#include <doctest/doctest.h>

#include <array>

#include "explore/must_hold.hpp"
#include "sync/sleepers.hpp"

using namespace myr;

namespace {

// Work that any member may do, and letters for one of them.
struct Team {
  struct Box {
    sync::Atomic<int> letters{0};
    sync::Plain<int> text{0};
  };
  explicit Team(unsigned reserve = 0) : sleepers(2, reserve) {}

  sync::Sleepers sleepers;
  sync::Atomic<int> tickets{0};
  std::array<Box, 2> boxes;

  void add_ticket() {
    tickets.fetch_add(1, sync::release);
    sleepers.post();
  }
  void send_letter(unsigned to) {
    boxes[to].text = 1;
    boxes[to].letters.store(1, sync::release);
    sleepers.post_to(to);
  }
  bool take_ticket() {
    int count = tickets.load(sync::acquire);
    while (count != 0) {
      if (tickets.compare_exchange_weak(count, count - 1, sync::acquire, sync::acquire)) {
        return true;
      }
    }
    return false;
  }
  bool take_letter(unsigned who) {
    if (boxes[who].letters.load(sync::acquire) == 0) return false;
    explore::check(boxes[who].text == 1, "the text is there");
    return true;
  }
  template <class Take>
  void sleep_until(unsigned who, Take take) {
    while (!take()) {
      sleepers.announce(who);
      if (take()) return static_cast<void>(sleepers.cancel(who));
      sleepers.wait(who);
    }
  }
};

}  // namespace

TEST_CASE("a member sees what is for any") {
  explore::must_hold({.preemptions_max = 3}, [](explore::Threads& threads) {
    Team team;
    threads.start([&] { team.sleep_until(0, [&] { return team.take_ticket(); }); });
    threads.start([&] { team.add_ticket(); });
    threads.join();
    explore::check(team.sleepers.count() == 0, "nobody is left announced");
  });
}

TEST_CASE("a member sees what is for it alone") {
  explore::must_hold({.preemptions_max = 3}, [](explore::Threads& threads) {
    Team team;
    threads.start([&] { team.sleep_until(1, [&] { return team.take_letter(1); }); });
    threads.start([&] { team.send_letter(1); });
    threads.join();
    explore::check(team.sleepers.count() == 0, "nobody is left announced");
  });
}

TEST_CASE("what was written before a post is there after the wait") {
  explore::must_hold({.preemptions_max = 3}, [](explore::Threads& threads) {
    sync::Sleepers sleepers(1);
    sync::Atomic<bool> is_announced{false};
    sync::Plain<int> message{0};
    threads.start([&] {
      sleepers.announce(0);
      is_announced.store(true, sync::release);
      sleepers.wait(0);
      explore::check(message == 1, "the message is there");
    });
    threads.start([&] {
      while (!is_announced.load(sync::acquire)) sync::spin_pause();
      message = 1;
      sleepers.post();
    });
    threads.join();
  });
}

// As workers do: a member that finds a ticket acts on it, even if it waits for a letter.
TEST_CASE("a letter for one and a ticket for any reach two that look for both") {
  const auto body = [](explore::Threads& threads) {
    Team team;
    const auto look = [&](unsigned who) {
      if (team.take_ticket()) team.send_letter(1);
      return team.take_letter(who);
    };
    for (unsigned who = 0; who < 2; ++who) {
      threads.start([&, who] { team.sleep_until(who, [&] { return look(who); }); });
    }
    threads.start([&] {
      team.send_letter(0);
      team.add_ticket();
    });
    threads.join();
    explore::check(team.sleepers.count() == 0, "nobody is left announced");
  };
  explore::must_hold({.preemptions_max = 2, .stale_reads_max = 1}, body);
}

TEST_CASE("two members share two changes of two posters") {
  const auto body = [](explore::Threads& threads) {
    Team team;
    for (unsigned who = 0; who < 2; ++who) {
      threads.start([&, who] { team.sleep_until(who, [&] { return team.take_ticket(); }); });
    }
    for (int i = 0; i < 2; ++i) threads.start([&] { team.add_ticket(); });
    threads.join();
    explore::check(team.tickets.load(sync::relaxed) == 0, "all is taken");
    explore::check(team.sleepers.count() == 0, "nobody is left announced");
  };
  // Four threads: both bounds at once would take too long.
  explore::must_hold({.preemptions_max = 2, .stale_reads_max = 0}, body);
  explore::must_hold({.preemptions_max = 1, .stale_reads_max = 1}, body);
}

// As nodes of a tree do, here of one thread each.
TEST_CASE("a change for one of some members and one for any reach those that look for them") {
  constexpr std::array kNode = {1U};
  const auto body = [&](explore::Threads& threads) {
    Team team;
    threads.start([&] { team.sleep_until(0, [&] { return team.take_ticket(); }); });
    threads.start([&] { team.sleep_until(1, [&] { return team.take_letter(1); }); });
    threads.start([&] {
      team.boxes[1].text = 1;
      team.boxes[1].letters.store(1, sync::release);
      team.sleepers.post_to_one_of(kNode);
      team.add_ticket();
    });
    threads.join();
    explore::check(team.sleepers.count() == 0, "nobody is left announced");
  };
  explore::must_hold({.preemptions_max = 2, .stale_reads_max = 1}, body);
}

// Time is the explorer's: a nap ends at any moment, also while somebody wakes the member.
TEST_CASE("a member that naps sees what is for any, and whoever sleeps beside it is told") {
  const auto body = [](explore::Threads& threads) {
    Team team;
    threads.start([&] {
      while (!team.take_ticket()) {
        team.sleepers.announce_nap(0);
        if (team.take_ticket()) return static_cast<void>(team.sleepers.cancel(0));
        team.sleepers.nap(0, 1);
      }
    });
    threads.start([&] { team.sleep_until(1, [&] { return team.take_ticket(); }); });
    threads.start([&] {
      team.add_ticket();
      team.add_ticket();
    });
    threads.join();
    explore::check(team.sleepers.count() == 0, "nobody is left announced");
  };
  explore::must_hold({.preemptions_max = 2, .stale_reads_max = 0}, body);
  explore::must_hold({.preemptions_max = 1, .stale_reads_max = 1}, body);
}

// One of two is a reserve: the other does all the work, and tells it when all is done.
TEST_CASE("no change waits while only the reserve sleeps") {
  explore::must_hold({.preemptions_max = 2, .stale_reads_max = 0}, [](explore::Threads& threads) {
    Team team(1);
    sync::Atomic<int> taken{0};
    const auto all_taken = [&] {
      while (team.take_ticket()) taken.fetch_add(1, sync::acq_rel);
      return taken.load(sync::acquire) == 2;
    };
    for (unsigned who = 0; who < 2; ++who) {
      threads.start([&, who] {
        team.sleep_until(who, all_taken);
        team.sleepers.post_to(1 - who);
      });
    }
    threads.start([&] {
      team.add_ticket();
      team.add_ticket();
    });
    threads.join();
    explore::check(team.sleepers.count() == 0, "nobody is left announced");
  });
}
