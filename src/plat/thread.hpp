// SPDX-License-Identifier: Apache-2.0
//
// Threads with a name, a stack size and an error instead of an exception when the system has no
// more; and which processors this process may use.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace myr::plat {

struct ThreadOptions {
  std::string name;             // shown by debuggers and `top -H`; cut to 15 characters
  std::size_t stack_bytes = 0;  // at least; more if that is the system's default (ulimit -s)
};

// A running thread; joined at the latest by the destructor.
class Thread {
 public:
  [[nodiscard]] static base::Result<Thread> start(const ThreadOptions& options,
                                                  std::function<void()> body);
  Thread(Thread&& other) noexcept
      : handle_(other.handle_), joinable_(std::exchange(other.joinable_, false)) {}
  Thread& operator=(Thread&&) = delete;
  ~Thread() { join(); }

  // Waits until the thread has ended. A second call does nothing.
  void join() noexcept;
  // It goes on by itself: the destructor does not wait.
  void detach() noexcept;

 private:
  explicit Thread(pthread_t handle) noexcept : handle_(handle) {}
  pthread_t handle_;
  bool joinable_ = true;
};

// In a forked child: the calling thread is none of ours any more, and signals reach it as they did
// the one that started it.
void forget_this_thread() noexcept;

// Whether the process has no other thread. False also if it only had some.
[[nodiscard]] bool is_only_thread() noexcept;

// Sleeps for some 50 microseconds.
void nap() noexcept;

// Asks the kernel to let the calling thread run soon after it has been woken, where threads that
// compute have the processor, for a short time each: a slice of 0.1 ms (Linux 6.12 and later; those
// before know no such wish). Threads that it starts from then on have the same.
void prefer_short_slices() noexcept;

// Binds the calling thread to one processor. False if the system refuses.
bool pin_this_thread(unsigned cpu) noexcept;

// The processors of the affinity mask by number, one of each physical core first, then the cores'
// other hardware threads. Cost: three files are read for each processor; for pinning only.
[[nodiscard]] std::vector<unsigned> usable_cpus();

}  // namespace myr::plat
