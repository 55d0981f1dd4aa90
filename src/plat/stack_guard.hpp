// SPDX-License-Identifier: Apache-2.0
//
// A message for a thread whose stack overflows, which only the thread's runtime can write: what is
// full, and which variable makes it larger. The process then dies of the signal as it would
// without.
#pragma once

#include <cstddef>

#include "plat/stack_bounds.hpp"

namespace myr::plat {

// Where a stack was about to grow to, and what it may take.
struct StackOverflow {
  std::size_t bytes;   // of the stack
  std::size_t wanted;  // at least
  // The whole MiB that would do, with some to spare.
  [[nodiscard]] std::size_t enough_mib() const noexcept;
};

struct StackWatch {
  // The stack that the thread is on; read when there is a fault. Outlives the watch.
  const StackBounds* stack = nullptr;
  // Writes the message, in a signal handler: it allocates nothing and takes no lock.
  void (*tell)(const void* who, const StackOverflow& overflow) noexcept = nullptr;
  const void* who = nullptr;
};

// From now on a stack of the calling thread that overflows is told, unless the program handles
// SIGSEGV, or the thread's signals have a stack of their own: those are somebody else's. Threads:
// any. Cost: a few system calls.
void watch_stack(const StackWatch& watch) noexcept;
// No longer. Does nothing if nobody watches.
void unwatch_stack() noexcept;

// For tell(): writes the text, whatever becomes of it.
void write_to_stderr(const char* text) noexcept;

}  // namespace myr::plat
