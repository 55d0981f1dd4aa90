// SPDX-License-Identifier: Apache-2.0
//
// Lives of a process with a machine: how it starts, forks and ends. `myr_life CASE` plays one;
// run.py knows how each must end. What goes wrong says so on stderr.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <myr/myr.hpp>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

using myr::inout;
using myr::spawn;

constexpr int kWrong = 9;

[[noreturn]] void wrong(const char* text) {
  std::fprintf(stderr, "%s\n", text);
  _exit(kWrong);
}
void expect(bool condition, const char* text) {
  if (!condition) wrong(text);
}

// ---- fork

// How a child ends. Main has a task that runs, or waits to run, meanwhile.
template <class Child>
int status_of(Child child) {
  int ends[2];
  expect(pipe(ends) == 0, "no pipe");
  static std::atomic<bool> is_over{false};
  // Not on machines where a spawn, or main's next call, would wait for it.
  const bool may_block = myr_worker_count() > 1;
  spawn([=] {
    while (may_block && !is_over) usleep(100);
    expect(write(ends[1], "x", 1) == 1, "the pipe is full");
  });
  const pid_t pid = fork();
  if (pid == 0) child();
  int status = 0;
  expect(waitpid(pid, &status, 0) == pid, "the child is lost");
  is_over = true;
  myr::wait_all();
  close(ends[1]);
  char bytes[8];
  expect(read(ends[0], bytes, sizeof bytes) == 1, "the task has run twice, or not at all");
  return status;
}

int fork_exit() {
  const int status = status_of([] { std::exit(3); });
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 3, "the child did not end by exit(3)");
  return 0;
}

int fork_exec() {
  const int status = status_of([] {
    execl("/bin/sh", "sh", "-c", "exit 4", nullptr);
    _exit(kWrong);
  });
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 4, "the child did not become the shell");
  return 0;
}

int fork_call() {
  const int status = status_of([] {
    spawn([] {});
    _exit(kWrong);
  });
  expect(WIFEXITED(status) && WEXITSTATUS(status) == MYR_EXIT_MISUSE, "the child has spawned");
  return 0;
}

// ---- what exit() destroys

struct Numbers {
  std::mutex lock;
  std::vector<int> all;
  std::size_t expected = 0;

  ~Numbers() {
    if (all.size() != expected) wrong("destroyed while tasks use it");
    expected = ~std::size_t{0};
  }
  void add(int number) {
    const std::scoped_lock locked(lock);
    if (expected == ~std::size_t{0}) wrong("used after it was destroyed");
    all.push_back(number);
  }
};

// Makes the vector after the first call, and so destroys it before what the first call registered.
Numbers& numbers() {
  static Numbers made;
  return made;
}

int return_before_tasks_end() {
  constexpr int kTasks = 10'000;
  std::ignore = myr_init();
  numbers().expected = kTasks;
  for (int i = 0; i < kTasks; ++i) spawn([i] { numbers().add(i); });
  return 0;
}

int exit_before_tasks_end() {
  return_before_tasks_end();
  std::exit(5);
}

int exit_in_task() {
  numbers().expected = ~std::size_t{1};  // nobody is to destroy it
  std::fputs("said before", stdout);
  for (int i = 0; i < 1000; ++i) spawn([i] { numbers().add(i); });
  spawn([] { std::exit(6); });
  for (int i = 0; i < 1000; ++i) spawn([i] { numbers().add(i); });
  myr::wait_all();
  wrong("went on after exit()");
}

// ---- start again

std::size_t address_space_mb() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) >> 20;
}

int start_again() {
  constexpr int kLives = 20;
  constexpr int kTasks = 1000;
#ifdef __SANITIZE_ADDRESS__
  constexpr std::size_t kGrowthMaxMb = 2000;  // it keeps for a while what was freed
#else
  constexpr std::size_t kGrowthMaxMb = 200;
#endif
  std::size_t mb_at_first = 0;
  for (int life = 0; life < kLives; ++life) {
    expect(myr_init() == 0, "it does not start again");
    const myr::Region region = myr::Region::create();
    int* const sum = region.make<int>(0);
    for (int i = 0; i < kTasks; ++i) {
      spawn([](int* total) { ++*total; }, inout(sum));
    }
    myr::wait_all();
    expect(*sum == kTasks, "tasks are lost");
    myr_finish();
    expect(*sum == kTasks, "memory is gone before the next start");
    if (life == 1) mb_at_first = address_space_mb();
  }
  expect(address_space_mb() < mb_at_first + kGrowthMaxMb, "each start takes more memory");
  myr_finish();  // nothing to do
  return 0;
}

int another_machine() {
  for (const char* machine : {"smp:2", "tree:1+2", "serial", "sim:formic-520:1+3", "smp:3"}) {
    setenv("MYR_ON", machine, 1);
    expect(myr_init() == 0, "it does not start again");
    int* const sum = myr::Region().make<int>(0);
    for (int i = 0; i < 100; ++i) spawn([](int* total) { ++*total; }, inout(sum));
    myr::wait_all();
    expect(*sum == 100, "tasks are lost");
    myr_finish();
  }
  return 0;
}

// ---- threads that Myrmidon did not start

constexpr int kThreads = 64;

// A root of its own: memory, chains of tasks, waits. Returns the object that it leaves to others.
int* live_as_guest(int* of_main) {
  constexpr int kTasks = 200;
  const myr::Region region = myr::Region::create();
  int* const here = region.make<int>(0);
  int* const left = myr::Region().make<int>(0);
  for (int i = 0; i < kTasks; ++i) {
    spawn([](int* count) { ++*count; }, inout(here));
    spawn([](int* count) { ++*count; }, inout(left));
    myr::destroy(myr::Region().make<int>(i));
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
  int* const sum = myr::Region().make<int>(0);
  std::vector<int*> of_main;
  std::vector<int*> left(kThreads);
  for (int i = 0; i < kThreads; ++i) of_main.push_back(myr::Region().make<int>(i));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { left[i] = live_as_guest(of_main[i]); });
    for (int j = 0; j < 100; ++j) spawn([](int* count) { ++*count; }, inout(sum));
    myr::destroy(myr::Region().make<int>(0));
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

// Whoever calls first is main, and its thread takes the machine along. Others are told.
void live_as_main() {
  std::thread([] {
    int number = 0;
    spawn([](int& n) { n = 1; }, inout(number));
    myr::wait_all();
    expect(number == 1, "a task of the first thread is lost");
  }).join();
}

int first_thread_ends() {
  live_as_main();
  myr::wait_all();
  wrong("a call came back behind the end of main's thread");
}

int first_thread_ends_and_another_starts() {
  live_as_main();
  expect(myr_init() == 0, "another thread cannot start");
  int number = 0;
  spawn([](int& n) { n = 2; }, inout(number));
  myr::wait_all();
  expect(number == 2, "a task of the second machine is lost");
  return 0;
}

int guest_behind_the_first() {
  static std::atomic<bool> is_there{false};
  static std::atomic<bool> may_end{false};
  std::thread first([] {
    myr::wait_all();
    is_there = true;
    while (!may_end) std::this_thread::yield();
  });
  while (!is_there) std::this_thread::yield();
  spawn([] {});
  may_end = true;
  first.join();
  myr::wait_all();
  wrong("a guest's call came back behind the end of main's thread");
}

struct Case {
  const char* name;
  int (*play)();
};
constexpr Case kCases[] = {
    {"fork_exit", fork_exit},
    {"fork_exec", fork_exec},
    {"fork_call", fork_call},
    {"return_before_tasks_end", return_before_tasks_end},
    {"exit_before_tasks_end", exit_before_tasks_end},
    {"exit_in_task", exit_in_task},
    {"start_again", start_again},
    {"another_machine", another_machine},
    {"first_thread_ends", first_thread_ends},
    {"first_thread_ends_and_another_starts", first_thread_ends_and_another_starts},
    {"guests", guests},
    {"guests_one_by_one", guests_one_by_one},
    {"guest_catches", guest_catches},
    {"guest_at_the_end", guest_at_the_end},
    {"guest_behind_the_first", guest_behind_the_first},
};

}  // namespace

int main(int count, char** words) {
  for (const Case& one : kCases) {
    if (count == 2 && std::strcmp(words[1], one.name) == 0) return one.play();
  }
  wrong("no such case");
}
