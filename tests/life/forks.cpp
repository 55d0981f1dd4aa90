// SPDX-License-Identifier: Apache-2.0
//
// A process with a machine has children.
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "life.hpp"

namespace {

using life::expect;
using life::kWrong;
using life::wrong;
using myr::spawn;

int end_of(pid_t pid) {
  int status = 0;
  expect(waitpid(pid, &status, 0) == pid, "the child is lost");
  return status;
}
void expect_status(int status, int expected, const char* text) {
  expect(WIFEXITED(status) && WEXITSTATUS(status) == expected, text);
}

// Forks here. The child has to be as good as any process.
template <class Child>
int fork_here(Child child) {
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(60);
    child();
    return 0;
  }
  return end_of(pid);
}

[[noreturn]] void work_in_child() {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  expect(sigismember(&blocked, SIGTERM) == 0, "the child does not hear signals");
  expect(life::count_with_tasks(1000) == 1000, "the child's tasks are lost");
  int* const object = myr::Region::root().make<int>(7);
  spawn([](int* number) { ++*number; }, myr::inout(object));
  myr::wait_all();
  expect(*object == 8, "the child's memory is not its own");
  std::exit(0);
}

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
  const int status = fork_here(child);
  is_over = true;
  myr::wait_all();
  close(ends[1]);
  char bytes[8];
  expect(read(ends[0], bytes, sizeof bytes) == 1, "the task has run twice, or not at all");
  return status;
}

int fork_exit() {
  expect_status(status_of([] { std::exit(3); }), 3, "the child did not end by exit(3)");
  return 0;
}

int fork_exec() {
  const int status = status_of([] {
    execl("/bin/sh", "sh", "-c", "exit 4", nullptr);
    _exit(kWrong);
  });
  expect_status(status, 4, "the child did not become the shell");
  return 0;
}

int fork_call() {
  expect_status(status_of(work_in_child), 0, "the child cannot use tasks");
  expect(life::count_with_tasks(100) == 100, "the parent cannot go on");
  return 0;
}

int fork_of_a_child() {
  const int status = status_of([] {
    expect(life::count_with_tasks(100) == 100, "the child's tasks are lost");
    expect_status(fork_here(work_in_child), 0, "the child's child cannot use tasks");
    expect(life::count_with_tasks(100) == 100, "the child cannot go on");
    std::exit(0);
  });
  expect_status(status, 0, "the child cannot use tasks");
  return 0;
}

int finish_then_fork() {
  expect(life::count_with_tasks(100) == 100, "tasks are lost");
  myr_finish();
  expect_status(fork_here(work_in_child), 0, "the child cannot use tasks");
  expect(myr_init() == 0, "it does not start again");
  expect(life::count_with_tasks(100) == 100, "the parent cannot go on");
  return 0;
}

int fork_in_task() {
  int status = -1;
  spawn([](int& end) { end = fork_here(work_in_child); }, myr::out(status));
  for (int i = 0; i < 100; ++i) spawn([] {});
  myr::wait_all();
  expect_status(status, 0, "the child cannot use tasks");
  return 0;
}

// Where the child returns to, there are only other threads. A task that was called where it was
// spawned returns to its spawner, and all goes on there.
int fork_returns() {
  const pid_t parent = getpid();
  int status = -1;
  spawn([](int& end) { end = fork_here([] {}); }, myr::out(status));
  myr::wait(myr::in(status));
  if (getpid() != parent) work_in_child();
  const bool is_told = WIFEXITED(status) && WEXITSTATUS(status) == MYR_EXIT_MISUSE;
  expect(is_told || (WIFEXITED(status) && WEXITSTATUS(status) == 0), "the child was not told");
  return 0;
}

// Others hold all kinds of locks.
int fork_while_others_spawn() {
  constexpr int kForks = 8;
  std::ignore = myr_init();
  static std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([] {
      while (!is_over) {
        const myr::Region region = myr::Region::create();
        for (int j = 0; j < 10; ++j) spawn([](int*) {}, myr::inout(region.make<int>(j)));
        myr::wait_all();
        region.free();
      }
    });
  }
  for (int i = 0; i < kForks; ++i) {
    expect_status(fork_here(work_in_child), 0, "main's child cannot use tasks");
  }
  std::thread([] {
    expect(life::count_with_tasks(10) == 10, "a guest's tasks are lost");
    expect_status(fork_here(work_in_child), 0, "a guest's child cannot use tasks");
    expect(life::count_with_tasks(10) == 10, "a guest cannot go on");
  }).join();
  std::thread([] {
    expect_status(fork_here(work_in_child), 0, "a stranger's child cannot use tasks");
  }).join();
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  return 0;
}

constexpr life::Case kCases[] = {
    {"fork_exit", fork_exit},
    {"fork_exec", fork_exec},
    {"fork_call", fork_call},
    {"fork_of_a_child", fork_of_a_child},
    {"finish_then_fork", finish_then_fork},
    {"fork_in_task", fork_in_task},
    {"fork_returns", fork_returns},
    {"fork_while_others_spawn", fork_while_others_spawn},
};

}  // namespace

std::span<const life::Case> life::forks() { return kCases; }
