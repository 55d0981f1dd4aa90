// SPDX-License-Identifier: Apache-2.0
//
// fib with Myrmidon's tasks. The children's results lie on their parent's stack, which is alive
// until the wait.
#include <myr/myr.hpp>

#include "demo/fib/fib.hpp"

namespace {

void fib(std::int64_t n, std::int64_t serial_below, std::int64_t& result) {
  if (n < 2 || n < serial_below) {
    result = fib_serial(n);
    return;
  }
  std::int64_t a = 0;
  std::int64_t b = 0;
  myr::spawn(fib, n - 1, serial_below, myr::out(a));
  myr::spawn(fib, n - 2, serial_below, myr::out(b));
  myr::wait(myr::in(a), myr::in(b));
  result = a + b;
}

}  // namespace

std::int64_t fib_tasks(std::int64_t n, std::int64_t serial_below) {
  std::int64_t result = -1;
  fib(n, serial_below, result);
  return result;
}
