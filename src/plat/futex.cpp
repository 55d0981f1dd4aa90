// SPDX-License-Identifier: Apache-2.0
#include "plat/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>

#include "plat/clock.hpp"

namespace myr::plat {

namespace {

timespec timespec_of(std::uint64_t ns) noexcept {
  timespec time;
  time.tv_sec = static_cast<time_t>(ns / 1'000'000'000);
  time.tv_nsec = static_cast<long>(ns % 1'000'000'000);
  return time;
}

}  // namespace

bool futex_wait(const void* word, std::uint32_t expected, std::uint64_t timeout_ns) noexcept {
  const timespec timeout = timespec_of(timeout_ns);
  const timespec* limit = timeout_ns == kNoTimeout ? nullptr : &timeout;
  const long status = syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, limit, nullptr, 0);
  return status == 0 || errno != ETIMEDOUT;
}

void futex_wake(const void* word, unsigned count) noexcept {
  const unsigned limit = std::min<unsigned>(count, INT_MAX);
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, limit, nullptr, nullptr, 0);
}

// The kernel takes a time of the clock here, not one from now on.
bool futex_wait_processes(const void* word, std::uint32_t expected, std::uint64_t timeout_ns,
                          std::uint32_t kinds) noexcept {
  const timespec end = timespec_of(now_ns() + timeout_ns);
  const long status = syscall(SYS_futex, word, FUTEX_WAIT_BITSET, expected, &end, nullptr, kinds);
  return status == 0 || errno != ETIMEDOUT;
}

void futex_wake_processes(const void* word, std::uint32_t kinds) noexcept {
  syscall(SYS_futex, word, FUTEX_WAKE_BITSET, INT_MAX, nullptr, nullptr, kinds);
}

}  // namespace myr::plat
