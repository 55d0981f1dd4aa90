// SPDX-License-Identifier: Apache-2.0
//
// The frame of fib: options, both versions, and the check by a loop. See fib.hpp.
#include <cstdint>

#include "common/program.hpp"
#include "demo/fib/fib.hpp"

namespace {

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

int kernel_main(int argc, char** argv) {
  kernels::Program program("fib", "Naive Fibonacci numbers: a task for each call");
  std::int64_t n = 27;
  std::int64_t serial_below = 0;
  program.option("size", n, {0, 60}, "which Fibonacci number");
  program.option("task", serial_below, {0, 60}, "calls below this number spawn no tasks");
  program.parse(argc, argv);

  std::int64_t expected = 0;
  std::int64_t result = 0;
  return program.run({
      .serial = [&] { expected = fib_serial(n); },
      .parallel = [&] { result = fib_tasks(n, serial_below); },
      .same = [&] { return result == expected; },
      .verify = [&] { return result == fib_loop(n) ? "" : "a loop gives another number"; },
  });
}
