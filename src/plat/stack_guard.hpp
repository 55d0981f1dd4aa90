// SPDX-License-Identifier: Apache-2.0
//
// Messages for a thread that dies of a signal, which only the thread's runtime can write: of a
// stack that overflows what is full, and which variable makes it larger; of another fault, or
// abort(), what ran. The process then dies of the signal as it would without.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plat/stack_bounds.hpp"

namespace myr::plat {

// Where a stack was about to grow to, and what it may take.
struct StackOverflow {
  std::size_t bytes;   // of the stack
  std::size_t wanted;  // at least
  // The whole MiB that would do, with some to spare.
  [[nodiscard]] std::size_t enough_mib() const noexcept;
};

// A signal of the thread's own doing.
struct Fault {
  int signal;
  bool has_address;
  std::uintptr_t address;  // which it could not use, or where the instruction is
};

struct StackWatch {
  // The stack that the thread is on; read when there is a fault. Outlives the watch.
  const StackBounds* stack = nullptr;
  // Writes the message, in a signal handler: it allocates nothing and takes no lock.
  void (*tell)(const void* who, const StackOverflow& overflow) noexcept = nullptr;
  // The same for other faults; nullptr: they are not told.
  void (*tell_fault)(const void* who, const Fault& fault) noexcept = nullptr;
  const void* who = nullptr;
};

// From now on a stack of the calling thread that overflows is told, and its faults, unless the
// program handles that signal when the first thread is watched, or the thread's signals have a
// stack of their own: those are somebody else's. Threads:
// any. Cost: a few system calls.
void watch_stack(const StackWatch& watch) noexcept;
// No longer. Does nothing if nobody watches.
void unwatch_stack() noexcept;

// For tell(): writes the text, whatever becomes of it.
void write_to_stderr(const char* text) noexcept;

}  // namespace myr::plat
