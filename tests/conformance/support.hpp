// SPDX-License-Identifier: Apache-2.0
//
// What the conformance tests share. They run unchanged on every machine; a test that needs two tasks to
// run at the same time asks is_parallel() first.
#pragma once

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <myr/myr.hpp>
#include <thread>

namespace myr::conformance {

// Do tasks run beside main?
[[nodiscard]] inline bool is_parallel() { return myr_worker_count() > 1; }

// Takes a while, so that a task that starts too early is likely to read old data.
inline void linger(unsigned rounds = 2000) {
  for (unsigned i = 0; i < rounds; ++i) asm volatile("" ::: "memory");
}

// Returns once `flag` is set by a task on another worker. If that task never runs, the test hangs, and
// ctest ends it.
inline void await(const std::atomic<bool>& flag) {
  while (!flag.load()) std::this_thread::yield();
}

}  // namespace myr::conformance
