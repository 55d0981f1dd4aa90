// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Events".
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

namespace myr::conformance {
namespace {

// A device: a thread of its own that does what it is asked, and then completes an event.
class Device {
 public:
  Device() : thread_([this] { serve(); }) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() {
    ask(nullptr);
    thread_.join();
  }

  void ask(std::function<void()> action, std::optional<Event> then = std::nullopt) {
    const std::scoped_lock lock(lock_);
    asked_.push({std::move(action), std::move(then)});
    changed_.notify_one();
  }

 private:
  struct Request {
    std::function<void()> action;  // none: the end
    std::optional<Event> then;
  };

  void serve() {
    for (;;) {
      std::unique_lock lock(lock_);
      changed_.wait(lock, [&] { return !asked_.empty(); });
      Request request = std::move(asked_.front());
      asked_.pop();
      lock.unlock();
      if (request.action == nullptr) return;
      request.action();
      if (request.then) request.then->complete();
    }
  }

  std::mutex lock_;  // guards what follows
  std::condition_variable changed_;
  std::queue<Request> asked_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("a task is over when its function has returned and its events are completed") {
  Device device;  // a thread of the program
  int* x = Region::root().make<int>(0);
  int copy = 0;
  spawn(
      [&device](int* p) {
        Event event = Event::create();  // holds the task open
        device.ask([p] { *p = 42; }, std::move(event));
      },
      out(x));
  spawn([](const int* p, int& c) { c = *p; }, in(x), out(copy));  // after the event
  wait(in(copy));
  CHECK(copy == 42);
  destroy(x);
}

TEST_CASE("waits wait for tasks that events hold open") {
  Device device;
  int x = 0;
  std::atomic<int> y{0};
  spawn([&](int& own) { device.ask([&own] { own = 1; }, Event::create()); }, out(x));
  wait(in(x));
  CHECK(x == 1);
  spawn([&] { device.ask([&y] { y = 2; }, Event::create()); });
  wait_all();
  CHECK(y == 2);
}

// All are tasks of one function, most of which do next to nothing: the runtime may call those.
TEST_CASE("among many small tasks, some end before their children, or are held open") {
  enum class Kind : std::uint8_t { Small, Parent, Held };
  Device device;
  std::atomic<bool> is_open{false};
  std::atomic<int> early{0};
  auto* x = Region::root().make<std::uint64_t>();
  const auto spawn_one = [&, x](Kind kind) {
    spawn(
        [&, kind](std::uint64_t* p) {
          if (is_open) early += 1;
          *p += 1;
          if (kind == Kind::Parent) {
            spawn([](std::uint64_t* q) { *q = 3 * *q; }, inout(p));
          } else if (kind == Kind::Held) {
            is_open = true;
            Event event = Event::create();
            device.ask([&] { is_open = false; }, std::move(event));
          }
        },
        inout(x));
  };
  std::uint64_t expected = 0;
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < 64; ++i) spawn_one(Kind::Small);
    spawn_one(round % 8 == 7 ? Kind::Held : Kind::Parent);
    spawn_one(Kind::Small);
    expected = (expected + 65) * (round % 8 == 7 ? 1 : 3) + 1;
  }
  wait(in(x));
  CHECK(*x == expected);
  CHECK(early == 0);
  wait_all();
  destroy(x);
}

// Small tasks of a step are called one by one while nobody else is alive.
TEST_CASE("among many small tasks of a step, some end before their children, or are held open") {
  enum class Kind : std::uint8_t { Small, Parent, Held };
  Device device;
  auto* x = Region::root().make<std::uint64_t>();
  const auto spawn_one = [&, x](Kind kind) {
    spawn(
        [&, kind](std::uint64_t* p) {
          *p += 1;
          if (kind == Kind::Parent) {
            spawn([](std::uint64_t* q) { *q = 3 * *q; }, inout(p));
          } else if (kind == Kind::Held) {
            Event event = Event::create();
            device.ask([p] { *p = 5 * *p; }, std::move(event));
          }
        },
        inout(x));
  };
  Recording step;
  std::uint64_t expected = 0;
  for (int round = 0; round < 60; ++round) {
    const bool is_held = round % 8 == 7;
    step.step([&] {
      for (int i = 0; i < 64; ++i) spawn_one(Kind::Small);
      spawn_one(is_held ? Kind::Held : Kind::Parent);
      for (int i = 0; i < 8; ++i) spawn_one(Kind::Small);
    });
    expected = (expected + 65) * (is_held ? 5 : 3) + 8;
  }
  wait(in(x));
  CHECK(*x == expected);
}

TEST_CASE("several events, completed before the task returns and after") {
  Device device;
  int values[3] = {};
  spawn(
      [&](int* own) {
        device.ask([own] { own[0] = 1; }, Event::create());
        Event done_here = Event::create();
        device.ask([own] { own[1] = 2; }, Event::create());
        own[2] = 3;
        done_here.complete();
      },
      out(values, 3));
  wait(in(values, 3));
  CHECK(values[0] == 1);
  CHECK(values[1] == 2);
  CHECK(values[2] == 3);
}

TEST_CASE("a task that is held open may have children and throw") {
  Device device;
  int x = 0;
  int y = 0;
  spawn(
      [&](int& own, int& other) {
        spawn([](int& child) { child = 5; }, inout(other));
        device.ask([&own] { own = 1; }, Event::create());
        throw std::string("held");
      },
      out(x), out(y));
  int sum = 0;
  spawn([](const int& a, const int& b, int& s) { s = a + b; }, in(x), in(y), out(sum));
  wait(in(sum));
  CHECK(sum == 6);
  CHECK_THROWS_AS(wait_all(), std::string);
}

TEST_CASE("events that children complete, and theirs") {
  constexpr int kTasks = 12;
  int levels[kTasks] = {};
  int after = 0;
  for (int& level : levels) {
    spawn(
        [](int& x) {
          Event first = Event::create(), second = Event::create();
          spawn(
              [first = std::move(first), second = std::move(second)](int& y) mutable {
                y = 1;
                first.complete();
                spawn(
                    [second = std::move(second)](int& z) mutable {
                      z += 1;
                      second.complete();
                    },
                    inout(y));
              },
              inout(x));
        },
        inout(level));
    spawn([](const int& x, int& sum) { sum += x; }, in(level), inout(after));
  }
  wait(in(after));
  CHECK(after == 2 * kTasks);
}

TEST_CASE("an event of which the number is in memory that a child is given") {
  constexpr int kTasks = 8;
  myr_event events[kTasks] = {};
  int sum = 0;
  for (myr_event& event : events) {
    spawn(
        [](myr_event& own) {
          own = Event::create().release();
          spawn([](const myr_event& id) { Event(id).complete(); }, in(own));
        },
        inout(event));
    spawn([](const myr_event& own, int& count) { count += own != 0 ? 1 : 0; }, in(event),
          inout(sum));
  }
  wait(in(sum));
  CHECK(sum == kTasks);
}

TEST_CASE("tasks held open keep no worker of smp") {
  if (!is_machine("smp") || myr_worker_count() == 1) return;
  constexpr int kHeld = 200;  // more than there are workers
  std::mutex lock;
  std::vector<Event> events;
  std::atomic<int> after{0};
  static int memory[kHeld];
  for (int& one : memory) {
    spawn(
        [&](int&) {
          const std::scoped_lock guard(lock);
          events.push_back(Event::create());
        },
        inout(one));
    spawn([&after](int&) { ++after; }, inout(one));
  }
  const auto count = [&] {
    const std::scoped_lock guard(lock);
    return events.size();
  };
  int last = 0;
  spawn([&](int&) { await([&] { return count() == kHeld; }); }, out(last));
  wait(in(last));
  CHECK(after == 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&events, i] {
      for (int j = i; j < kHeld; j += 8) events[static_cast<std::size_t>(j)].complete();
    });
  }
  for (std::thread& thread : threads) thread.join();
  wait_all();
  CHECK(after == kHeld);
}

TEST_CASE("many events, completed by a thread while tasks begin and end") {
  Device devices[4];
  constexpr int kChains = 8;
  constexpr int kLength = 50;
  int sums[kChains] = {};
  for (int i = 0; i < kLength; ++i) {
    for (int chain = 0; chain < kChains; ++chain) {
      Device& device = devices[(i + chain) % 4];
      spawn([&device,
             i](int& sum) { device.ask([&sum, i] { sum = sum * 3 % 1009 + i; }, Event::create()); },
            inout(sums[chain]));
    }
  }
  wait_all();
  int expected = 0;
  for (int i = 0; i < kLength; ++i) expected = expected * 3 % 1009 + i;
  for (const int sum : sums) CHECK(sum == expected);
}

TEST_CASE("an event that is lost is a failure of its task") {
  int x = 0;
  spawn(
      [](int& p) {
        Event event = Event::create();
        p = 1;
        throw std::runtime_error("the device is not there");
      },
      out(x));
  CHECK_THROWS_WITH_AS(wait_all(), "the device is not there", std::runtime_error);
  spawn(
      [](int& p) {
        p = 2;
        std::ignore = Event::create();
      },
      inout(x));
  CHECK_THROWS_AS(wait_all(), std::runtime_error);  // a BrokenEvent
  CHECK(x == 2);
  spawn([](int& p) { p = 3; }, inout(x));  // goes on
  wait_all();
  CHECK(x == 3);
}

// The code that counts references to exceptions is not instrumented.
#if !defined(__SANITIZE_THREAD__)
TEST_CASE("a future, a scope and a reduction see that an event of their task has failed") {
  Device device;
  const auto lose = [&device] {
    auto event = std::make_shared<Event>(Event::create());
    device.ask([event] { event->fail(std::make_exception_ptr(std::out_of_range("lost"))); });
  };
  Future<int> failed = async([&] {
    lose();
    return 1;
  });
  CHECK_THROWS_AS(std::ignore = failed.then([](int n) { return n; }).get(), std::out_of_range);
  CHECK_THROWS_AS(std::ignore = when_all(failed).get(), std::out_of_range);
  CHECK_THROWS_AS(std::ignore = failed.get(), std::out_of_range);
  Future<std::string> text = async([&] {
    lose();
    return std::string("a text that no std::string has in itself");
  });
  CHECK_THROWS_AS(std::ignore = text.get(), std::out_of_range);
  Future<int> later = async([] {
    std::ignore = Event::create();  // lost
    return 1;
  });
  CHECK_THROWS_AS(std::ignore = later.get(), std::runtime_error);  // a BrokenEvent
  Future<int> thrown = async([&]() -> int {
    lose();
    throw std::logic_error("first");
  });
  CHECK_THROWS_AS(std::ignore = thrown.get(), std::logic_error);
  Scope scope;
  scope.spawn([&] { lose(); });
  CHECK_THROWS_AS(scope.wait(), std::out_of_range);
  scope.spawn([&] {
    lose();
    throw std::logic_error("first");
  });
  CHECK_THROWS_AS(scope.wait(), std::logic_error);
  int sum = 1;
  for (int i = 0; i < 10; ++i) {
    spawn(
        [&lose, i](int& own) {
          own = 10;
          if (i == 3) lose();
        },
        reduce(sum, std::plus<>()));
  }
  CHECK_THROWS_AS(wait_all(), std::out_of_range);
  CHECK(sum == 91);
  wait_all();
}

TEST_CASE("what a task reduces is combined when its events are over") {
  Device device;
  int sum = 1;
  for (int i = 0; i < 20; ++i) {
    spawn([&](int& own) { device.ask([&own] { own = 5; }, Event::create()); },
          reduce(sum, std::plus<>()));
  }
  wait(in(sum));
  CHECK(sum == 101);
  wait_all();
}

TEST_CASE("an event fails, for whoever waits for the task") {
  Device device;
  const auto fail = [&device](Event event) {
    auto shared = std::make_shared<Event>(std::move(event));
    device.ask([shared] {
      try {
        throw std::out_of_range("at the end of the disk");
      } catch (...) {
        shared->fail();
      }
    });
  };
  int x = 0;
  spawn([&fail](int&) { fail(Event::create()); }, out(x));
  CHECK_THROWS_WITH_AS(wait_all(), "at the end of the disk", std::out_of_range);
  Scope scope;
  scope.spawn([&fail](int&) { spawn([&fail] { fail(Event::create()); }); }, out(x));
  CHECK_THROWS_AS(scope.wait(), std::out_of_range);
  Future<int> later = async([&fail] {
    spawn([&fail] { fail(Event::create()); });
    return 1;
  });
  CHECK_THROWS_AS(std::ignore = later.get(), std::out_of_range);
}
#endif

TEST_CASE("events go with the closures of cancelled tasks, unless they are completed") {
  int x = 0;
  Region alive = Region::create();
  const auto work = [&](bool is_lost) {
    spawn(
        [alive, is_lost](Region, int& p) {
          p += 1;
          const Region inner = Region::create(alive);
          if (is_lost) inner.cancel();
          Event event = Event::create();
          Event other = std::move(event);
          event = std::move(other);
          spawn([own = std::move(event)](Region) mutable { own.complete(); }, inout(inner));
        },
        inout(alive), inout(x));
  };
  work(false);
  wait_all();
  work(true);
  CHECK_THROWS_AS(wait_all(), std::runtime_error);  // a BrokenEvent
  CHECK(x == 2);
  alive.free();
}

}  // namespace myr::conformance
