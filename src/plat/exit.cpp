// SPDX-License-Identifier: Apache-2.0
#include "plat/exit.hpp"

#include <cxxabi.h>
#include <semaphore.h>
#include <unistd.h>

#include <cerrno>
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

void wait_for_exit() noexcept {
  for (;;) pause();
}

// What is registered now runs before all that was registered earlier.
void cut_exit_short() noexcept { on_exit(leave, nullptr); }

}  // namespace myr::plat
