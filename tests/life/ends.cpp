// SPDX-License-Identifier: Apache-2.0
//
// How a process with a machine ends, and starts another one.
#include <pthread.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include "life.hpp"

namespace {

using life::expect;
using life::wrong;
using myr::inout;
using myr::spawn;

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

// Main's variables are there until exit() has ended the tasks.
int exit_with_locals() {
  constexpr int kTasks = 1000;
  std::ignore = myr_init();
  numbers().expected = kTasks;
  int last = 0;
  for (int i = 0; i < kTasks; ++i) {
    spawn([](int& number) { numbers().add(number++); }, inout(last));
  }
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

// Wherever main is then, most likely in the middle of a call.
int exit_in_signal_handler() {
  constexpr int kMicroseconds = 20'000;
  std::signal(SIGALRM, [](int) { std::exit(4); });
  std::ignore = myr_init();
  const itimerval soon{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = kMicroseconds}};
  setitimer(ITIMER_REAL, &soon, nullptr);
  static std::size_t count = 0;  // no task uses what exit() takes away from main
  for (;;) {
    for (int i = 0; i < 100; ++i) spawn([](std::size_t& total) { ++total; }, inout(count));
    myr::wait(myr::in(count));
  }
}

// Static objects still may have tasks.
struct Last {
  myr::Region region = myr::Region::create();
  int* number = region.make<int>(0);
  ~Last() {
    for (int i = 0; i < 100; ++i) spawn([](int* held) { ++*held; }, inout(number));
    myr::wait_all();
    expect(*number == 100, "tasks of a destructor are lost");
    region.free();
    std::puts("destroyed");
  }
};

int tasks_of_static_object() {
  static Last last;
  return 0;
}

// ---- other ends

int quick_exit_with_tasks() {
  std::at_quick_exit([] { std::fputs("quick", stdout), std::fflush(stdout); });
  for (int i = 0; i < 100; ++i) spawn([] { usleep(100); });
  std::quick_exit(7);
}

int exit_at_once_in_task() {
  spawn([] { _exit(8); });
  for (int i = 0; i < 100; ++i) spawn([] { usleep(100); });
  myr::wait_all();
  wrong("went on after _exit()");
}

// The process goes on until all is done.
std::atomic<int> ran{0};

int main_leaves_its_thread() {
  std::ignore = myr_init();
  for (int i = 0; i < 100; ++i) {
    spawn([] {
      usleep(100);
      ++ran;
    });
  }
  std::atexit([] { std::printf("ran %d", ran.load()); });
  pthread_exit(nullptr);
}

int main_leaves_guests() {
  std::ignore = myr_init();
  std::thread([] {
    for (int i = 0; i < 10; ++i) {
      ran += life::count_with_tasks(10);
      usleep(1000);
    }
  }).detach();
  std::atexit([] { std::printf("ran %d", ran.load()); });
  while (ran == 0) usleep(100);
  pthread_exit(nullptr);
}

// The machine has no main, so nobody tells it that the process's first thread has gone.
int main_leaves_others() {
  std::thread([] {
    usleep(10'000);
    ran += life::count_with_tasks(10);
  }).detach();
  std::atexit([] { std::printf("ran %d", ran.load()); });
  pthread_exit(nullptr);
}

int thread_exit_in_task() {
  int number = 0;
  spawn([](int&) { pthread_exit(nullptr); }, inout(number));
  myr::wait_all();
  wrong("went on after pthread_exit() in a task");
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
    int* const sum = myr::Region::root().make<int>(0);
    for (int i = 0; i < 100; ++i) spawn([](int* total) { ++*total; }, inout(sum));
    myr::wait_all();
    expect(*sum == 100, "tasks are lost");
    myr_finish();
  }
  return 0;
}

// ---- what static objects free when there is no machine any more

struct Cache {
  myr::OwnedRegion region;
  std::vector<int>* numbers = region.make<std::vector<int>>(10, 7);
  myr::OwnedRegion gone;
  int* alone = myr::Region::root().make<int>(1);

  Cache() { gone.free(); }
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
  ~Cache() {
    myr::destroy(alone);
    std::puts("freed");
  }
};
Cache& cache() {
  static Cache made;
  return made;
}

int static_region() {
  expect(cache().numbers->size() == 10, "it is not made");
  return 0;
}
int static_region_outlives_machine() {
  static_region();
  myr_finish();
  return 0;
}
int static_region_after_fork() {
  static_region();
  if (const pid_t child = fork(); child != 0) {
    int status = 0;
    expect(waitpid(child, &status, 0) == child && status == 0, "the child does not end well");
  }
  return 0;
}

constexpr life::Case kCases[] = {
    {"return_before_tasks_end", return_before_tasks_end},
    {"exit_before_tasks_end", exit_before_tasks_end},
    {"exit_with_locals", exit_with_locals},
    {"exit_in_task", exit_in_task},
    {"exit_in_signal_handler", exit_in_signal_handler},
    {"exit_at_once_in_task", exit_at_once_in_task},
    {"quick_exit_with_tasks", quick_exit_with_tasks},
    {"tasks_of_static_object", tasks_of_static_object},
    {"main_leaves_its_thread", main_leaves_its_thread},
    {"main_leaves_guests", main_leaves_guests},
    {"main_leaves_others", main_leaves_others},
    {"thread_exit_in_task", thread_exit_in_task},
    {"start_again", start_again},
    {"static_region", static_region},
    {"static_region_outlives_machine", static_region_outlives_machine},
    {"static_region_after_fork", static_region_after_fork},
    {"another_machine", another_machine},
};

}  // namespace

std::span<const life::Case> life::ends() { return kCases; }
