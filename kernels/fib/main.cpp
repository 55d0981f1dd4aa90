// SPDX-License-Identifier: Apache-2.0
//
// Fibonacci numbers the naive way: a task for each call. There is next to no work in a task, so
// this measures what the runtime takes to spawn a task inside a task and to wait for it.
#include <cstdint>
#include <myr/myr.hpp>

#include "common/program.hpp"

namespace {

// The plain program.
std::int64_t fib_serial(std::int64_t n) {
  return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2);
}

// The task program. The children's results lie on this task's stack, which is alive until the wait.
void fib_task(std::int64_t n, std::int64_t serial_below, std::int64_t& result) {
  if (n < 2 || n < serial_below) {
    result = fib_serial(n);
    return;
  }
  std::int64_t a = 0;
  std::int64_t b = 0;
  myr::spawn(fib_task, n - 1, serial_below, myr::out(a));
  myr::spawn(fib_task, n - 2, serial_below, myr::out(b));
  myr::wait(myr::in(a), myr::in(b));
  result = a + b;
}

// How many tasks fib_task(n) spawns.
std::uint64_t count_tasks(std::int64_t n, std::int64_t serial_below) {
  if (n < 2 || n < serial_below) return 0;
  return 2 + count_tasks(n - 1, serial_below) + count_tasks(n - 2, serial_below);
}

// The same number by a loop, for --check.
std::int64_t fib_loop(std::int64_t n) {
  std::int64_t current = 0;
  std::int64_t next = 1;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t sum = current + next;
    current = next;
    next = sum;
  }
  return current;
}

}  // namespace

int main(int argc, char** argv) {
  kernels::Program program("fib", "Naive Fibonacci numbers: a task for each call");
  std::int64_t n = 27;
  std::int64_t serial_below = 0;
  program.option("size", n, {0, 60}, "which Fibonacci number");
  program.option("task", serial_below, {0, 60}, "calls below this number spawn no tasks");
  program.parse(argc, argv);

  const std::uint64_t tasks = count_tasks(n, serial_below);
  std::int64_t expected = 0;
  std::int64_t result = 0;
  return program.run({
      .serial = [&] { expected = fib_serial(n); },
      .parallel =
          [&] {
            result = -1;
            fib_task(n, serial_below, result);
            return tasks;
          },
      .same = [&] { return result == expected; },
      .verify = [&] { return result == fib_loop(n) ? "" : "a loop gives another number"; },
  });
}
