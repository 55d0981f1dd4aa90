// SPDX-License-Identifier: Apache-2.0
#include "plat/exit.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
#include <unwind.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "plat/thread_slot.hpp"

// This library: __dso_handle by another name, for the compiler may declare that one itself.
[[gnu::visibility("hidden")]] extern char this_library __asm__("__dso_handle");

namespace myr::plat {

namespace {

constexpr std::time_t kPatienceSeconds = 1;

struct End {
  int status = 0;
  timespec limit{};  // of CLOCK_MONOTONIC
};
End end_of_process;  // set before the signal's handler is

// An alarm of the program's own comes too early.
void stop_waiting(int) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const timespec& limit = end_of_process.limit;
  const bool is_early =
      now.tv_sec != limit.tv_sec ? now.tv_sec < limit.tv_sec : now.tv_nsec < limit.tv_nsec;
  if (!is_early) _exit(end_of_process.status);
}

void set_alarm(int status) noexcept {
  end_of_process.status = status;
  clock_gettime(CLOCK_MONOTONIC, &end_of_process.limit);
  end_of_process.limit.tv_sec += kPatienceSeconds;
  struct sigaction action = {};
  action.sa_handler = stop_waiting;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarms, nullptr);
  itimerval timer{};
  timer.it_value = {.tv_sec = kPatienceSeconds, .tv_usec = 1000};  // behind the limit
  timer.it_interval = timer.it_value;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// What is seen on the way up the stack, from the newest frame.
struct Interrupted {
  bool is_below_handler = true;
  bool is_library = false;
};

bool is_of_this_library(std::uintptr_t address) noexcept {
  Dl_info own{};
  Dl_info other{};
  return dladdr(&this_library, &own) != 0 &&
         dladdr(reinterpret_cast<const void*>(address), &other) != 0 &&
         own.dli_fbase == other.dli_fbase;
}

_Unwind_Reason_Code look_at_frame(_Unwind_Context* frame, void* seen) noexcept {
  auto& it = *static_cast<Interrupted*>(seen);
  int is_interrupted = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(frame, &is_interrupted);
  if (is_interrupted != 0) it.is_below_handler = false;
  it.is_library = !it.is_below_handler && is_of_this_library(address);
  return it.is_library ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// The same, for the frame of exit().
struct Exit {
  bool is_found = false;
  const void* end = nullptr;  // of its frame: the stack of its caller
};

_Unwind_Reason_Code look_for_exit(_Unwind_Context* frame, void* seen) noexcept {
  auto& it = *static_cast<Exit*>(seen);
  if (it.is_found) {
    it.end = reinterpret_cast<const void*>(_Unwind_GetCFA(frame));
    return _URC_END_OF_STACK;
  }
  Dl_info called{};
  const _Unwind_Ptr address = _Unwind_GetIP(frame) - 1;  // the call is before it
  it.is_found = dladdr(reinterpret_cast<const void*>(address), &called) != 0 &&
                called.dli_sname != nullptr && std::strcmp(called.dli_sname, "exit") == 0;
  return _URC_NO_REASON;
}

// Another thread may hold a stream; and a signal handler may have interrupted an allocation, so
// that nothing here allocates.
void leave(int status, void*) noexcept {
  set_alarm(status);
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace

void at_thread_end(void (*handler)(void*), void* argument) noexcept {
  abi::__cxa_thread_atexit(handler, argument, &this_library);
}

bool is_first_thread() noexcept { return gettid() == getpid(); }

void at_first_thread_exit(void (*handler)()) noexcept {
  static ThreadSlot slot([](void* set) { reinterpret_cast<void (*)()>(set)(); });
  slot.set(reinterpret_cast<const void*>(handler));
}

// The kernel keeps the rest of the thread until the last one ends: a zombie.
bool first_thread_is_gone() noexcept {
  std::FILE* const file = std::fopen("/proc/self/stat", "re");
  if (file == nullptr) return false;
  char line[256] = "";
  const bool is_read = std::fgets(line, sizeof line, file) != nullptr;
  std::fclose(file);
  const char* const name_end = is_read ? std::strrchr(line, ')') : nullptr;
  return name_end != nullptr && std::strncmp(name_end, ") Z", 3) == 0;
}

bool exit_interrupts_library() noexcept {
  Interrupted seen;
  _Unwind_Backtrace(look_at_frame, &seen);
  return seen.is_library;
}

const void* frames_kept_by_exit() noexcept {
  Exit seen;
  _Unwind_Backtrace(look_for_exit, &seen);
  return seen.end;
}

void wait_for_exit() noexcept {
  for (;;) pause();
}

// What is registered now runs before all that was registered earlier.
void cut_exit_short() noexcept { on_exit(leave, nullptr); }

}  // namespace myr::plat
