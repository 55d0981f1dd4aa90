// SPDX-License-Identifier: Apache-2.0
#include "plat/exit.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <semaphore.h>
#include <unistd.h>
#include <unwind.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "plat/thread.hpp"
#include "plat/thread_slot.hpp"

// This library: __dso_handle by another name, for the compiler may declare that one itself.
[[gnu::visibility("hidden")]] extern char this_library __asm__("__dso_handle");

namespace myr::plat {

namespace {

constexpr std::time_t kPatienceSeconds = 1;

// In a thread of its own: it may have to wait for a stream that another thread holds.
void flush_streams() noexcept {
  static sem_t is_done;  // lives longer than this call
  sem_init(&is_done, 0, 0);
  auto flusher = Thread::start({.name = "myr-exit"}, [] {
    std::fflush(nullptr);
    sem_post(&is_done);
  });
  if (!flusher) return;
  timespec limit{};
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += kPatienceSeconds;
  while (sem_timedwait(&is_done, &limit) != 0 && errno == EINTR) {
  }
  flusher->detach();
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

void leave(int status, void*) noexcept {
  flush_streams();
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

// The kernel keeps what is left of it until the last thread ends: a zombie.
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

void wait_for_exit() noexcept {
  for (;;) pause();
}

// What is registered now runs before all that was registered earlier.
void cut_exit_short() noexcept { on_exit(leave, nullptr); }

}  // namespace myr::plat
