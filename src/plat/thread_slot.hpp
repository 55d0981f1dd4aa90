// SPDX-License-Identifier: Apache-2.0
//
// A pointer that each thread has of its own, for what is seldom asked for. Thread-local variables
// are faster, but a library that is loaded late finds little room for them.
#pragma once

#include <pthread.h>

#include "base/misuse.hpp"

namespace myr::plat {

class ThreadSlot {
 public:
  // `at_end` gets the thread's pointer, unless it is null, when the thread ends, by pthread_exit()
  // in main, too, but not by exit().
  explicit ThreadSlot(void (*at_end)(void*) = nullptr) noexcept {
    if (pthread_key_create(&key_, at_end) == 0) return;
    base::misuse(nullptr,
                 "the process has as many thread-specific keys as the system allows; create fewer "
                 "by pthread_key_create()");
  }
  ThreadSlot(const ThreadSlot&) = delete;
  ThreadSlot& operator=(const ThreadSlot&) = delete;
  ~ThreadSlot() { pthread_key_delete(key_); }  // this code may be unloaded

  // Null in a thread that has set none.
  [[nodiscard]] void* get() const noexcept { return pthread_getspecific(key_); }
  void set(const void* pointer) noexcept { pthread_setspecific(key_, pointer); }

 private:
  pthread_key_t key_{};
};

}  // namespace myr::plat
