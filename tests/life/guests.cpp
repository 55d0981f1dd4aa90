// SPDX-License-Identifier: Apache-2.0
//
// Threads that Myrmidon did not start: beside main, or without one, when one of them is the first
// that calls.
#include <pthread.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "life.hpp"

namespace {

using life::expect;
using life::wrong;
using myr::inout;
using myr::spawn;

constexpr int kThreads = 64;

// A root of its own: memory, chains of tasks, waits. Returns the object that it leaves to others.
int* live_as_guest(int* of_main) {
  constexpr int kTasks = 200;
  const myr::Region region = myr::Region::create();
  int* const here = region.make<int>(0);
  int* const left = myr::Region::root().make<int>(0);
  for (int i = 0; i < kTasks; ++i) {
    spawn([](int* count) { ++*count; }, inout(here));
    spawn([](int* count) { ++*count; }, inout(left));
    myr::destroy(myr::Region::root().make<int>(i));
  }
  myr::wait(myr::in(here));
  expect(*here == kTasks, "a guest's tasks are lost, or not in order");
  region.free();
  myr::destroy(of_main);
  myr::wait_all();
  expect(*left == kTasks, "a guest's tasks are lost, or not waited for");
  return left;
}

int guests() {
  std::ignore = myr_init();
  int* const sum = myr::Region::root().make<int>(0);
  std::vector<int*> of_main;
  std::vector<int*> left(kThreads);
  for (int i = 0; i < kThreads; ++i) of_main.push_back(myr::Region::root().make<int>(i));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { left[i] = live_as_guest(of_main[i]); });
    for (int j = 0; j < 100; ++j) spawn([](int* count) { ++*count; }, inout(sum));
    myr::destroy(myr::Region::root().make<int>(0));
  }
  myr::wait_all();
  for (std::thread& thread : threads) thread.join();
  expect(*sum == 100 * kThreads, "main's tasks are lost");
  for (int* object : left) myr::destroy(object);
  myr::wait_all();
  return 0;
}

// More than there are places, but not at once; each ends before its tasks do.
int guests_one_by_one() {
  constexpr int kAll = 200;
  std::ignore = myr_init();
  static std::atomic<int> sum{0};
  for (int i = 0; i < kAll; ++i) {
    std::thread([] {
      for (int j = 0; j < 10; ++j) spawn([] { ++sum; });
    }).join();
    expect(sum == 10 * (i + 1), "a thread has ended before its tasks");
  }
  return 0;
}

int guest_catches() {
  std::ignore = myr_init();
  std::thread([] {
    int number = 0;
    spawn([](int&) { throw 7; }, inout(number));
    try {
      myr::wait_all();
      wrong("nothing was rethrown");
    } catch (int thrown) {
      expect(thrown == 7, "something else was rethrown");
    }
  }).join();
  myr::wait_all();  // nothing for main
  return 0;
}

// The program ends while a thread goes on spawning.
int guest_at_the_end() {
  std::ignore = myr_init();
  static std::atomic<bool> is_there{false};
  std::thread([] {
    for (;;) {
      spawn([] {});
      myr::wait_all();
      is_there = true;
    }
  }).detach();
  while (!is_there) std::this_thread::yield();
  return 0;
}

// At once; each has what a root has.
int many_guests() {
  constexpr int kAll = 400;
  std::ignore = myr_init();
  static std::atomic<int> are_there{0};
  static std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kAll; ++i) {
    threads.emplace_back([] {
      sum += life::count_with_tasks(10);
      ++are_there;
      while (are_there < kAll) std::this_thread::yield();
    });
  }
  for (std::thread& thread : threads) thread.join();
  expect(sum == 10 * kAll, "tasks are lost");
  return 0;
}

// ---- without main

int first_thread_ends() {
  const auto count = [] { return life::count_with_tasks(100); };
  expect(std::async(std::launch::async, count).get() == 100, "the first thread's tasks are lost");
  expect(count() == 100, "main's thread cannot go on");
  expect(std::async(std::launch::async, count).get() == 100, "another thread cannot go on");
  return 0;
}

// It is on its way out when others call.
int first_thread_ends_meanwhile() {
  static std::atomic<bool> is_done{false};
  std::thread([] {
    std::ignore = myr_init();
    expect(life::count_with_tasks(100) == 100, "the first thread's tasks are lost");
    is_done = true;
  }).detach();
  while (!is_done) std::this_thread::yield();
  expect(life::count_with_tasks(100) == 100, "main's thread cannot go on");
  return 0;
}

int first_thread_starts_again() {
  std::thread([] { std::ignore = life::count_with_tasks(100); }).join();
  std::ignore = myr_init();
  expect(life::count_with_tasks(100) == 100, "another thread cannot start");
  return 0;
}

// What one thread has made is there for the next.
int memory_outlives_threads() {
  static myr::Region region;
  static int* number = nullptr;
  std::thread([] {
    region = myr::Region::create();
    number = region.make<int>(1);
  }).join();
  std::thread([] { spawn([](int* held) { ++*held; }, inout(number)); }).join();
  expect(*number == 2, "memory of a thread that has ended is lost");
  region.free();
  return 0;
}

// Guests of the machine before are guests of the next one.
int guests_start_and_finish() {
  constexpr int kLives = 10;
  std::thread([] { std::ignore = life::count_with_tasks(10); }).join();
  std::atomic<int> turn{0};
  std::thread other([&] {
    for (int life = 0; life < kLives; ++life) {
      while (turn != 2 * life) std::this_thread::yield();
      expect(myr_init() == 0, "it does not start again");
      expect(life::count_with_tasks(100) == 100, "a guest's tasks are lost");
      turn = 2 * life + 1;
    }
  });
  for (int life = 0; life < kLives; ++life) {
    while (turn != 2 * life + 1) std::this_thread::yield();
    expect(life::count_with_tasks(100) == 100, "main's thread has no tasks");
    myr_finish();
    turn = 2 * life + 2;
  }
  other.join();
  return 0;
}

// Destroyed last, with threads that still have work for Myrmidon.
struct Pool {
  std::thread thread;
  std::atomic<bool> is_over{false};
  ~Pool() {
    is_over = true;
    thread.join();
    expect(life::count_with_tasks(10) == 10, "a static object's tasks are lost");
  }
};

int pool_ends_last() {
  static Pool pool;
  pool.thread = std::thread([] {
    while (!pool.is_over) expect(life::count_with_tasks(10) == 10, "a guest's tasks are lost");
    expect(life::count_with_tasks(10) == 10, "a guest's last tasks are lost");
  });
  return 0;
}

constexpr life::Case kCases[] = {
    {"guests", guests},
    {"guests_one_by_one", guests_one_by_one},
    {"guest_catches", guest_catches},
    {"guest_at_the_end", guest_at_the_end},
    {"many_guests", many_guests},
    {"first_thread_ends", first_thread_ends},
    {"first_thread_ends_meanwhile", first_thread_ends_meanwhile},
    {"first_thread_starts_again", first_thread_starts_again},
    {"memory_outlives_threads", memory_outlives_threads},
    {"guests_start_and_finish", guests_start_and_finish},
    {"pool_ends_last", pool_ends_last},
};

}  // namespace

std::span<const life::Case> life::guests() { return kCases; }
