// SPDX-License-Identifier: Apache-2.0
#include "plat/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>

namespace myr::plat {

namespace {

bool wait(int operation, const void* word, std::uint32_t expected,
          std::uint64_t timeout_ns) noexcept {
  timespec timeout;
  timeout.tv_sec = static_cast<time_t>(timeout_ns / 1'000'000'000);
  timeout.tv_nsec = static_cast<long>(timeout_ns % 1'000'000'000);
  const timespec* limit = timeout_ns == kNoTimeout ? nullptr : &timeout;
  const long status = syscall(SYS_futex, word, operation, expected, limit, nullptr, 0);
  return status == 0 || errno != ETIMEDOUT;
}

void wake(int operation, const void* word, unsigned count) noexcept {
  const unsigned limit = std::min<unsigned>(count, INT_MAX);
  syscall(SYS_futex, word, operation, limit, nullptr, nullptr, 0);
}

}  // namespace

bool futex_wait(const void* word, std::uint32_t expected, std::uint64_t timeout_ns) noexcept {
  return wait(FUTEX_WAIT_PRIVATE, word, expected, timeout_ns);
}

void futex_wake(const void* word, unsigned count) noexcept {
  wake(FUTEX_WAKE_PRIVATE, word, count);
}

bool futex_wait_processes(const void* word, std::uint32_t expected,
                          std::uint64_t timeout_ns) noexcept {
  return wait(FUTEX_WAIT, word, expected, timeout_ns);
}

void futex_wake_processes(const void* word, unsigned count) noexcept {
  wake(FUTEX_WAKE, word, count);
}

}  // namespace myr::plat
