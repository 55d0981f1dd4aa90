// SPDX-License-Identifier: Apache-2.0
//
// Fiber: a stack that a thread can leave in the middle of a call, and come back to. For tasks that
// wait while their worker runs others. A fiber belongs to the thread that made it.
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.hpp"
#include "plat/context.hpp"
#include "plat/stack_bounds.hpp"
#include "plat/stack_state.hpp"

namespace myr::plat {

class Fiber {
 public:
  using Body = void (*)(void* argument);

  // The stack on which the calling thread is now.
  [[nodiscard]] static std::unique_ptr<Fiber> of_this_thread();
  // A new stack, with a guard page below it; memory arrives at the first touch. The body begins at
  // the first switch, must not return, and must let no exception out. Error: the system refuses the
  // address space.
  [[nodiscard]] static base::Result<std::unique_ptr<Fiber>> create(std::size_t stack_bytes,
                                                                   Body body, void* argument);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  // REQUIRES: the thread is not on it.
  ~Fiber();

  // Leaves `from`, on which the thread is, for `to`. Returns when somebody switches back. Each
  // fiber has its own exceptions: what is caught on one does not mix with what is caught on others.
  // The signal mask is the thread's. Cost: some forty instructions on x86-64, else a system call.
  static void switch_to(Fiber& from, Fiber& to) noexcept;

  [[nodiscard]] StackBounds stack() const noexcept { return stack_; }

 private:
  Fiber() = default;
  static void enter(void* fiber);

  // __cxa_eh_globals of the Itanium C++ ABI: the innermost exception that is being handled, which
  // leads to those around it, and the number of those that are on their way to a handler.
  struct Exceptions {
    void* caught = nullptr;
    unsigned uncaught_count = 0;
  };

  Context context_;
  Exceptions exceptions_;  // while it is left
  StackState state_;       // while it is left
  StackBounds stack_;
  void* mapping_ = nullptr;  // guard page and stack; nullptr: the thread's own
  std::size_t mapped_bytes_ = 0;
  Body body_ = nullptr;
  void* argument_ = nullptr;
  void* fake_stack_ = nullptr;  // AddressSanitizer's, while it is left
  void* tsan_fiber_ = nullptr;
};

}  // namespace myr::plat
