// SPDX-License-Identifier: Apache-2.0
//
// Context: where a stack that a thread has left goes on: what the calling convention wants kept
// over a call. Exceptions, sanitizers and the stack's memory are plat::Fiber's business.
//
// On x86-64 a switch is some twenty instructions. Elsewhere ucontext makes it, with a system call
// for the signal mask, which nobody here wants kept.
#pragma once

#include <cstddef>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace myr::plat {

class Context {
 public:
  using Entry = void (*)(void* argument);

  // The first switch to it calls entry(argument), which must not return, on the stack
  // [low, low + bytes). REQUIRES: low and bytes are multiples of 16.
  void begin(std::byte* low, std::size_t bytes, Entry entry, void* argument) noexcept;
  // Keeps where the thread is in `from`, and goes on at `to`.
  static void swap(Context& from, Context& to) noexcept;

 private:
#if defined(__x86_64__)
  void* stack_pointer_ = nullptr;
#else
  static void enter(unsigned low, unsigned high);
  ucontext_t registers_;
  Entry entry_ = nullptr;
  void* argument_ = nullptr;
#endif
};

}  // namespace myr::plat
