// SPDX-License-Identifier: Apache-2.0
#include "plat/context.hpp"

#include <cstdint>

#include "base/contract.hpp"

namespace myr::plat {

#if defined(__x86_64__)

namespace {

// What a stack that is left has at its top, from low to high addresses.
struct Frame {
  std::uint32_t mxcsr;        // how the program rounds, and which traps are on:
  std::uint16_t x87_control;  // System V has both kept over a call
  std::uint16_t padding;
  void* r15;
  void* r14;
  void* r13;
  void* r12;
  void* rbx;
  void* rbp;
  void* return_to;
};

// Naked: nothing but these instructions, so the arguments are still in rdi and rsi.
[[gnu::naked, gnu::noinline]] void swap_stacks(void** /*left*/, void* /*next*/) {
  asm volatile(
      "pushq %rbp\n\t"
      "pushq %rbx\n\t"
      "pushq %r12\n\t"
      "pushq %r13\n\t"
      "pushq %r14\n\t"
      "pushq %r15\n\t"
      "subq $8, %rsp\n\t"
      "stmxcsr (%rsp)\n\t"
      "fnstcw 4(%rsp)\n\t"
      "movq %rsp, (%rdi)\n\t"
      "movq %rsi, %rsp\n\t"
      "ldmxcsr (%rsp)\n\t"
      "fldcw 4(%rsp)\n\t"
      "addq $8, %rsp\n\t"
      "popq %r15\n\t"
      "popq %r14\n\t"
      "popq %r13\n\t"
      "popq %r12\n\t"
      "popq %rbx\n\t"
      "popq %rbp\n\t"
      "ret\n\t");
}

// The first frame of a new stack returns to here. Nothing is above it: rip is marked as unknown, so
// that debuggers and unwinders stop.
[[gnu::naked, gnu::noinline]] void call_entry() {
  asm volatile(
      ".cfi_undefined rip\n\t"
      "movq %r12, %rdi\n\t"
      "callq *%rbx\n\t"
      "ud2\n\t");
}

}  // namespace

void Context::begin(std::byte* low, std::size_t bytes, Entry entry, void* argument) noexcept {
  // With room above it, the stack is aligned as a call wants it when call_entry() makes one.
  auto* const frame = reinterpret_cast<Frame*>(low + bytes - sizeof(Frame) - 16);
  *frame = {.rbx = reinterpret_cast<void*>(entry),
            .return_to = reinterpret_cast<void*>(&call_entry)};
  frame->r12 = argument;
  asm volatile("stmxcsr %0" : "=m"(frame->mxcsr));
  asm volatile("fnstcw %0" : "=m"(frame->x87_control));
  stack_pointer_ = frame;
}

void Context::swap(Context& from, Context& to) noexcept {
  swap_stacks(&from.stack_pointer_, to.stack_pointer_);
}

#else

void Context::begin(std::byte* low, std::size_t bytes, Entry entry, void* argument) noexcept {
  entry_ = entry;
  argument_ = argument;
  MYR_ASSERT(getcontext(&registers_) == 0);
  registers_.uc_stack.ss_sp = low;
  registers_.uc_stack.ss_size = bytes;
  registers_.uc_link = nullptr;
  // makecontext() hands over integers only.
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&registers_, reinterpret_cast<void (*)()>(&Context::enter), 2,
              static_cast<unsigned>(self), static_cast<unsigned>(self >> 32));
}

void Context::enter(unsigned low, unsigned high) {
  const auto* self =
      reinterpret_cast<Context*>(static_cast<std::uintptr_t>(low) | std::uintptr_t{high} << 32);
  self->entry_(self->argument_);
}

void Context::swap(Context& from, Context& to) noexcept {
  MYR_ASSERT(swapcontext(&from.registers_, &to.registers_) == 0);
}

#endif

}  // namespace myr::plat
