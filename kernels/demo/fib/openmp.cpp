// SPDX-License-Identifier: Apache-2.0
//
// fib with OpenMP's tasks, as its textbooks have it: the second call is the task's own.
#include "demo/fib/fib.hpp"

namespace {

std::int64_t fib(std::int64_t n, std::int64_t serial_below) {
  if (n < 2 || n < serial_below) return fib_serial(n);
  std::int64_t a = 0;
#pragma omp task shared(a)
  a = fib(n - 1, serial_below);
  const std::int64_t b = fib(n - 2, serial_below);
#pragma omp taskwait
  return a + b;
}

}  // namespace

std::int64_t fib_tasks(std::int64_t n, std::int64_t serial_below) {
  std::int64_t result = -1;
#pragma omp parallel
#pragma omp single
  result = fib(n, serial_below);
  return result;
}
