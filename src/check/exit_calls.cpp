// SPDX-License-Identifier: Apache-2.0
//
// The ways in which a program under `myr check` ends: whichever it is, what was found is summed up.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "check/next_call.hpp"
#include "check/watch.hpp"
#include "myr/myr.h"

using myr::check::Watch;

namespace {

constexpr int kFound = 66;  // the exit status, as ThreadSanitizer has it

// Runs behind the program's last destructors, or what it has registered for a quick exit.
__attribute__((destructor)) void end_check() {
  if (!Watch::instance().sum_up()) return;
  std::fflush(nullptr);
  _exit(kFound);
}
__attribute__((constructor)) void begin_check() { at_quick_exit(end_check); }

[[noreturn]] void end_at_once(int status, const void* place) {
  Watch& watch = Watch::instance();
  const bool is_refused = status == MYR_EXIT_MISUSE && watch.is_of_runtime(place);
  if (Watch::ends_here() && !is_refused && watch.sum_up()) status = kFound;
  NEXT(_exit)(status);
  __builtin_unreachable();
}

}  // namespace

// GCC's library has it, so a program does not have that of the C library, which lies in an archive.
extern "C" int __cxa_atexit(void (*function)(void*), void* argument, void* library) noexcept;
CALL int atexit(void (*function)()) noexcept {
  return __cxa_atexit(reinterpret_cast<void (*)(void*)>(function), nullptr, nullptr);
}

CALL void exit(int status) noexcept {
  Watch::gives_back_all();
  NEXT(exit)(status);
  __builtin_unreachable();
}
// Also of a task that has called exit().
CALL void _exit(int status) { end_at_once(status, PLACE); }
CALL void _Exit(int status) noexcept { end_at_once(status, PLACE); }
CALL void abort() noexcept {
  if (Watch::ends_here()) Watch::instance().sum_up();
  NEXT(abort)();
  __builtin_unreachable();
}
