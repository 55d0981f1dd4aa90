// SPDX-License-Identifier: Apache-2.0
#include "plat/exit.hpp"

#include <cxxabi.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>

#include "plat/thread.hpp"

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

// Whether a thread that has begun to end is gone, and the process is still there. A thread's keys
// are destroyed behind its other handlers, and not by exit().
struct Departure {
  std::mutex lock;
  std::condition_variable changed;
  bool is_over = false;  // guarded by lock
  pthread_key_t key{};

  Departure() noexcept { pthread_key_create(&key, note_over); }

 private:
  static void note_over(void* departure) {
    auto& self = *static_cast<Departure*>(departure);
    const std::scoped_lock lock(self.lock);
    self.is_over = true;
    self.changed.notify_all();
  }
};
Departure& departure() noexcept {
  static auto* const the_departure = new Departure;  // others wait when objects are destroyed
  return *the_departure;
}

void leave(int status, void*) noexcept {
  flush_streams();
  _exit(status);
}

}  // namespace

void at_thread_end(void (*handler)(void*), void* argument) noexcept {
  abi::__cxa_thread_atexit(handler, argument, &this_library);
}

void begin_exit() noexcept {
  Departure& self = departure();
  const std::scoped_lock lock(self.lock);
  self.is_over = false;
  pthread_setspecific(self.key, &self);
}

void wait_for_exit() noexcept {
  Departure& self = departure();
  std::unique_lock lock(self.lock);
  self.changed.wait(lock, [&] { return self.is_over; });
}

// What is registered now runs before all that was registered earlier.
void cut_exit_short() noexcept { on_exit(leave, nullptr); }

}  // namespace myr::plat
