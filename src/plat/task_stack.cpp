// SPDX-License-Identifier: Apache-2.0
#include "plat/task_stack.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>

namespace myr::plat {

namespace {

std::size_t stack_bytes = kTaskStackMib << 20;

}  // namespace

std::size_t task_stack_bytes() noexcept { return stack_bytes; }
void set_task_stack_mib(std::size_t mib) noexcept { stack_bytes = mib << 20; }

// The kernel lets it grow to the soft limit of the moment.
void enlarge_first_stack() noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= stack_bytes) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, stack_bytes);
  setrlimit(RLIMIT_STACK, &limit);
}

// Workers have what MYR_STACK says; main has less where the hard limit is lower, and threads that
// the program has started have what it gave them.
void tell_full_task_stack(const myr_site* site, const StackOverflow& overflow) noexcept {
  char place[512] = "";
  char cure[256];
  if (site != nullptr) std::snprintf(place, sizeof place, "%s:%u: ", site->file, site->line);
  if (overflow.bytes + overflow.bytes / 4 < stack_bytes) {
    std::snprintf(cure, sizeof cure,
                  "raise the limit (ulimit -H -s), or start the thread with a larger stack");
  } else {
    const std::size_t enough = overflow.enough_mib();
    std::snprintf(cure, sizeof cure, "MYR_STACK=%zu in the environment makes stacks of %zu MiB",
                  enough, enough);
  }
  char text[1024];
  std::snprintf(text, sizeof text, "\nmyrmidon: error: %sthe stack of %s, %zu KiB, is full; %s\n",
                place,
                site == nullptr ? "main, or of the thread that calls" : "the task spawned here",
                overflow.bytes >> 10, cure);
  write_to_stderr(text);
}

}  // namespace myr::plat
