// SPDX-License-Identifier: Apache-2.0
#include "plat/fiber.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/contract.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace myr::plat {

namespace {

constexpr std::size_t kOsPage = 4096;

// The sanitizers must be told of each switch, or they take the new stack for a broken old one.
void before_switch([[maybe_unused]] void** fake_stack, [[maybe_unused]] StackBounds to,
                   [[maybe_unused]] void* tsan_fiber) noexcept {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(fake_stack, to.low, static_cast<std::size_t>(to.high - to.low));
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(tsan_fiber, 0);
#endif
}

void after_switch([[maybe_unused]] void* fake_stack) noexcept {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

}  // namespace

std::unique_ptr<Fiber> Fiber::of_this_thread() {
  std::unique_ptr<Fiber> fiber(new Fiber);
  fiber->stack_ = this_thread_stack();
#if defined(__SANITIZE_THREAD__)
  fiber->tsan_fiber_ = __tsan_get_current_fiber();
#endif
  return fiber;
}

base::Result<std::unique_ptr<Fiber>> Fiber::create(std::size_t stack_bytes, Body body,
                                                   void* argument) {
  const std::size_t bytes = (stack_bytes + kOsPage - 1) / kOsPage * kOsPage + kOsPage;
  void* mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED || mprotect(mapping, kOsPage, PROT_NONE) != 0) {
    return base::Error{fmt::format("The system refused {} KiB of address space for a stack: {}.",
                                   bytes / 1024, std::strerror(errno))};
  }
  std::unique_ptr<Fiber> fiber(new Fiber);
  fiber->mapping_ = mapping;
  fiber->mapped_bytes_ = bytes;
  fiber->body_ = body;
  fiber->argument_ = argument;
  auto* first = static_cast<std::byte*>(mapping);
  fiber->stack_ = {first + kOsPage, first + bytes};
  MYR_ASSERT(getcontext(&fiber->context_) == 0);
  fiber->context_.uc_stack.ss_sp = first + kOsPage;
  fiber->context_.uc_stack.ss_size = bytes - kOsPage;
  fiber->context_.uc_link = nullptr;
  // makecontext() hands over integers only.
  const auto self = reinterpret_cast<std::uintptr_t>(fiber.get());
  makecontext(&fiber->context_, reinterpret_cast<void (*)()>(&Fiber::enter), 2,
              static_cast<unsigned>(self), static_cast<unsigned>(self >> 32));
#if defined(__SANITIZE_THREAD__)
  fiber->tsan_fiber_ = __tsan_create_fiber(0);
#endif
  return fiber;
}

Fiber::~Fiber() {
  if (mapping_ == nullptr) return;
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(tsan_fiber_);
#endif
  MYR_ASSERT(munmap(mapping_, mapped_bytes_) == 0);
}

void Fiber::switch_to(Fiber& from, Fiber& to) noexcept {
  before_switch(&from.fake_stack_, to.stack_, to.tsan_fiber_);
  MYR_ASSERT(swapcontext(&from.context_, &to.context_) == 0);
  after_switch(from.fake_stack_);
}

void Fiber::enter(unsigned low, unsigned high) {
  after_switch(nullptr);
  const auto* self =
      reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(low) | std::uintptr_t{high} << 32);
  self->body_(self->argument_);
  MYR_ASSERT(false);  // a body must not return
}

}  // namespace myr::plat
