// SPDX-License-Identifier: Apache-2.0
//
// Fibonacci numbers the naive way: a task for each call. There is next to no work in a task, so
// this measures what the runtime takes to spawn a task inside a task and to wait for it. The
// programs with tasks are tasks.cpp and openmp.cpp.
#pragma once

#include <cstdint>

// The plain program.
[[nodiscard]] inline std::int64_t fib_serial(std::int64_t n) {
  return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2);
}

// The same with a task for each call, except for numbers below `serial_below`.
[[nodiscard]] std::int64_t fib_tasks(std::int64_t n, std::int64_t serial_below);
