// SPDX-License-Identifier: Apache-2.0
//
// The explorer finds what is wrong in known-wrong algorithms, and finds nothing in the corrected
// ones.
#include "explore/explore.hpp"

#include <doctest/doctest.h>

#include "explore/atomic.hpp"

using namespace myr;
using explore::Atomic;
using explore::Plain;
using explore::Threads;

namespace {

constexpr auto relaxed = explore::Order::relaxed;
constexpr auto acquire = explore::Order::acquire;
constexpr auto release = explore::Order::release;
constexpr auto seq_cst = explore::Order::seq_cst;

explore::Report search(const std::function<void(Threads&)>& body) {
  return explore::search({.random_executions = 200, .steps_max = 200}, body);
}
void must_hold(const std::function<void(Threads&)>& body) {
  const explore::Report report = search(body);
  CHECK_MESSAGE(!report.failed, report.text);
  CHECK(report.exhausted);
}
void must_fail(const std::function<void(Threads&)>& body, const char* failure) {
  const explore::Report report = search(body);
  CHECK_MESSAGE(report.failed, report.text);
  CHECK_MESSAGE(report.text.find(failure) != std::string::npos, report.text);
}

// Each of two threads stores to its own variable, then reads the other's. May both read 0?
struct Handshake {
  explore::Order store = relaxed;
  explore::Order load = relaxed;
  void (*first_fence)() = [] {};
  void (*second_fence)() = [] {};

  void operator()(Threads& threads) const {
    Atomic<int> x{0}, y{0};
    int saw_x = 0, saw_y = 0;
    threads.start([&] {
      x.store(1, store);
      first_fence();
      saw_y = y.load(load);
    });
    threads.start([&] {
      y.store(1, store);
      second_fence();
      saw_x = x.load(load);
    });
    threads.join();
    explore::check(saw_x + saw_y != 0, "one thread sees the other's store");
  }
};

void full_fence() { explore::fence(seq_cst); }

void message_passing(Threads& threads, explore::Order store, explore::Order load) {
  Plain<int> message = 0;
  Atomic<bool> is_ready{false};
  threads.start([&] {
    message = 42;
    is_ready.store(true, store);
  });
  threads.start([&] {
    if (is_ready.load(load)) explore::check(message == 42, "the message is there");
  });
  threads.join();
}

void message_passing_by_fences(Threads& threads, bool has_acquire) {
  Plain<int> message = 0;
  Atomic<bool> is_ready{false};
  threads.start([&] {
    message = 42;
    explore::fence(release);
    is_ready.store(true, relaxed);
  });
  threads.start([&] {
    if (!is_ready.load(relaxed)) return;
    if (has_acquire) explore::fence(acquire);
    explore::check(message == 42, "the message is there");
  });
  threads.join();
}

// A relaxed update between a release and an acquire: the release sequence goes on.
void passing_on(Threads& threads, bool by_update) {
  Plain<int> message = 0;
  Atomic<int> stage{0};
  threads.start([&] {
    message = 42;
    stage.store(1, release);
  });
  threads.start([&] {
    if (stage.load(relaxed) != 1) return;
    if (by_update) {
      stage.fetch_add(1, relaxed);
    } else {
      stage.store(2, relaxed);
    }
  });
  threads.start([&] {
    if (stage.load(acquire) == 2) explore::check(message == 42, "the message is there");
  });
  threads.join();
}

// Two readers of two independent writers; may they disagree about which wrote first?
void independent_reads(Threads& threads, explore::Order store, explore::Order load) {
  Atomic<int> x{0}, y{0};
  int saw[4] = {};
  threads.start([&] { x.store(1, store); });
  threads.start([&] { y.store(1, store); });
  threads.start([&] {
    saw[0] = x.load(load);
    saw[1] = y.load(load);
  });
  threads.start([&] {
    saw[2] = y.load(load);
    saw[3] = x.load(load);
  });
  threads.join();
  const bool disagree = saw[0] == 1 && saw[1] == 0 && saw[2] == 1 && saw[3] == 0;
  explore::check(!disagree, "both readers see one order");
}

// A Chase-Lev deque with two items: the owner pops one, a thief may take both.
void last_item(Threads& threads, bool has_fences) {
  Atomic<int> top{0}, bottom{2};
  int taken = 0;
  const auto fence = [&] {
    if (has_fences) explore::fence(seq_cst);
  };
  threads.start([&] {
    const int last = bottom.load(relaxed) - 1;
    bottom.store(last, relaxed);
    fence();
    int first = top.load(relaxed);
    if (first < last) {
      taken += 1;
      return;
    }
    if (first == last && top.compare_exchange_strong(first, first + 1, seq_cst, relaxed))
      taken += 1;
    bottom.store(last + 1, relaxed);
  });
  threads.start([&] {
    for (int attempt = 0; attempt < 2; ++attempt) {
      int first = top.load(acquire);
      fence();
      if (first >= bottom.load(acquire)) continue;
      if (top.compare_exchange_strong(first, first + 1, seq_cst, relaxed)) taken += 1;
    }
  });
  threads.join();
  explore::check(taken <= 2, "no item is taken twice");
}

// A sleeper that looks for work, and sleeps if there is none.
void sleep_and_wake(Threads& threads, bool reads_epoch_first) {
  Atomic<std::uint32_t> epoch{0};
  Atomic<bool> has_work{false};
  threads.start([&] {
    std::uint32_t seen = epoch.load(acquire);
    if (has_work.load(acquire)) return;
    if (!reads_epoch_first) seen = epoch.load(acquire);
    while (epoch.load(acquire) == seen) explore::futex_wait(epoch, seen);
    explore::check(has_work.load(acquire), "woken for work");
  });
  threads.start([&] {
    has_work.store(true, release);
    epoch.fetch_add(1, release);
    explore::futex_wake(epoch, 1);
  });
  threads.join();
}

void light_fence() { explore::light_fence(); }
void heavy_fence() { explore::heavy_fence(); }

}  // namespace

TEST_CASE("store buffering needs seq_cst") {
  must_fail(Handshake{.store = release, .load = acquire}, "sees the other's store");
  must_hold(Handshake{.store = seq_cst, .load = seq_cst});
  must_hold(Handshake{.first_fence = full_fence, .second_fence = full_fence});
  must_fail(Handshake{.first_fence = full_fence}, "sees the other's store");
}

TEST_CASE("a light fence pairs with a heavy one only") {
  must_hold(Handshake{.first_fence = light_fence, .second_fence = heavy_fence});
  must_hold(Handshake{.first_fence = heavy_fence, .second_fence = heavy_fence});
  must_fail(Handshake{.first_fence = light_fence, .second_fence = light_fence},
            "sees the other's store");
  must_fail(Handshake{.second_fence = heavy_fence}, "sees the other's store");
}

TEST_CASE("message passing needs release and acquire") {
  must_hold([](Threads& threads) { message_passing(threads, release, acquire); });
  must_fail([](Threads& threads) { message_passing(threads, relaxed, acquire); }, "data race");
  must_fail([](Threads& threads) { message_passing(threads, release, relaxed); }, "data race");
  must_hold([](Threads& threads) { message_passing_by_fences(threads, true); });
  must_fail([](Threads& threads) { message_passing_by_fences(threads, false); }, "data race");
}

TEST_CASE("an update carries a release sequence on, a store ends it") {
  must_hold([](Threads& threads) { passing_on(threads, true); });
  must_fail([](Threads& threads) { passing_on(threads, false); }, "data race");
}

TEST_CASE("independent readers agree only under seq_cst") {
  must_fail([](Threads& threads) { independent_reads(threads, release, acquire); }, "one order");
  must_hold([](Threads& threads) { independent_reads(threads, seq_cst, seq_cst); });
}

TEST_CASE("one variable has one history for all") {
  must_hold([](Threads& threads) {
    Atomic<int> x{0};
    threads.start([&] { x.store(1, relaxed); });
    threads.start([&] {
      const int first = x.load(relaxed);
      explore::check(first <= x.load(relaxed), "values do not go back");
    });
    threads.join();
    explore::check(x.load(relaxed) == 1, "who joins sees the store");
  });
}

TEST_CASE("updates are atomic") {
  const auto count = [](Threads& threads, bool by_update) {
    Atomic<int> counter{0};
    for (int i = 0; i < 3; ++i) {
      threads.start([&, by_update] {
        if (by_update) {
          counter.fetch_add(1, relaxed);
        } else {
          counter.store(counter.load(relaxed) + 1, relaxed);
        }
      });
    }
    threads.join();
    explore::check(counter.load(relaxed) == 3, "all are counted");
  };
  must_hold([&](Threads& threads) { count(threads, true); });
  must_fail([&](Threads& threads) { count(threads, false); }, "all are counted");
}

TEST_CASE("a Chase-Lev deque needs its fences") {
  must_hold([](Threads& threads) { last_item(threads, true); });
  must_fail([](Threads& threads) { last_item(threads, false); }, "taken twice");
}

TEST_CASE("an event count that reads its epoch too late loses a wake-up") {
  must_hold([](Threads& threads) { sleep_and_wake(threads, true); });
  must_fail([](Threads& threads) { sleep_and_wake(threads, false); }, "sleep");
}

TEST_CASE("spinning threads are let on, and found when they spin for ever") {
  const auto wait_for = [](Threads& threads, int value) {
    Atomic<int> x{0};
    threads.start([&] { x.store(1, release); });
    threads.start([&] {
      while (x.load(acquire) != value) explore::yield();
    });
    threads.join();
  };
  must_hold([&](Threads& threads) { wait_for(threads, 1); });
  must_fail([&](Threads& threads) { wait_for(threads, 2); }, "no end in sight");
}

TEST_CASE("a printed path replays its failure") {
  const Handshake broken{.store = release, .load = acquire};
  const std::string text = search(broken).text;
  const std::string key = "MYR_REPLAY=";
  const std::string path = text.substr(text.find(key) + key.size());
  setenv("MYR_REPLAY", path.c_str(), 1);
  const explore::Report again = search(broken);
  setenv("MYR_REPLAY", "nonsense", 1);
  const explore::Report refused = search(broken);
  unsetenv("MYR_REPLAY");
  CHECK(again.failed);
  CHECK(again.text.substr(0, again.text.find("execution")) ==
        text.substr(0, text.find("execution")));
  CHECK(refused.text.find("not a printed path") != std::string::npos);
}

TEST_CASE("the same seed finds the same failure at random") {
  const Handshake broken{.store = release, .load = acquire};
  const explore::Options options{.executions_max = 0, .random_executions = 1'000, .seed = 7};
  const explore::Report first = explore::search(options, broken);
  CHECK(first.failed);
  CHECK(first.text == explore::search(options, broken).text);
}

TEST_CASE("zeroed memory holds atomics of value zero") {
  const explore::Report report = explore::search({}, [](Threads& threads) {
    alignas(Atomic<int>) unsigned char memory[2][sizeof(Atomic<int>)] = {};
    auto* flags = reinterpret_cast<Atomic<int>*>(memory);
    threads.start([&] { flags[1].store(1, release); });
    threads.start([&] { explore::check(flags[0].load(acquire) == 0, "nobody has written it"); });
    threads.join();
    explore::check(flags[1].load(acquire) == 1, "what was written");
  });
  CHECK_FALSE(report.failed);
  CHECK(report.exhausted);
}
