// SPDX-License-Identifier: Apache-2.0
#include "plat/fiber.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/contract.hpp"
#include "base/format.hpp"
#include "base/sanitizers.hpp"

// Part of the C++ ABI. Declared here because <cxxabi.h> says that its result never changes, which
// is untrue for a fiber that goes on in another thread.
extern "C" void* __cxa_get_globals() noexcept;

namespace myr::plat {

namespace {

constexpr std::size_t kOsPage = 4096;
// Below each stack: a function whose locals are larger could step over it.
constexpr std::size_t kGuardBytes = std::size_t{64} << 10;

// Makes the first kGuardBytes of a mapping cause a fault when touched. Linux 6.13 and later do it
// without a mapping of its own, of which a process may have 65,530 (vm.max_map_count).
bool guard(void* mapping) noexcept {
  constexpr int kGuardInstall = 102;  // MADV_GUARD_INSTALL, which older headers do not have
  if (madvise(mapping, kGuardBytes, kGuardInstall) == 0) return true;
  return mprotect(mapping, kGuardBytes, PROT_NONE) == 0;
}

// The sanitizers must be told of each switch, or they take the new stack for a broken old one.
void before_switch(void** fake_stack, StackBounds to, void* tsan_fiber) noexcept {
  if (__sanitizer_start_switch_fiber != nullptr) {
    __sanitizer_start_switch_fiber(fake_stack, to.low, static_cast<std::size_t>(to.high - to.low));
  }
  if (__tsan_switch_to_fiber == nullptr) return;
  {
    const base::InProgram in_program;
    base::tell_release(base::this_watched_thread().on_stacks);
  }
  __tsan_switch_to_fiber(tsan_fiber, 0);
}

void after_switch(void* fake_stack) noexcept {
  if (__sanitizer_finish_switch_fiber != nullptr) {
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
  }
  if (__tsan_switch_to_fiber == nullptr) return;
  const base::InProgram in_program;
  base::tell_acquire(base::this_watched_thread().on_stacks);
}

// ThreadSanitizer ends a program that has 8,128 threads at once, and counts stacks as threads.
constexpr int kTsanStacksMax = 7'000;
int tsan_stacks = 0;

// Error: there are too many.
base::Result<void*> create_tsan_fiber() {
  if (__tsan_create_fiber == nullptr) return nullptr;
  if (__atomic_add_fetch(&tsan_stacks, 1, __ATOMIC_RELAXED) <= kTsanStacksMax) {
    void* const fiber = __tsan_create_fiber(0);
    base::WhoseCode::begin_stack(fiber);
    return fiber;
  }
  __atomic_sub_fetch(&tsan_stacks, 1, __ATOMIC_RELAXED);
  return base::Error{base::format(
      "ThreadSanitizer allows no more than {} stacks of tasks that wait; nest waits less deeply",
      kTsanStacksMax)};
}

void destroy_tsan_fiber(void* fiber) noexcept {
  if (__tsan_destroy_fiber == nullptr) return;
  base::WhoseCode::end_stack(fiber);
  __tsan_destroy_fiber(fiber);
  __atomic_sub_fetch(&tsan_stacks, 1, __ATOMIC_RELAXED);
}

}  // namespace

std::unique_ptr<Fiber> Fiber::of_this_thread() {
  std::unique_ptr<Fiber> fiber(new Fiber);
  fiber->stack_ = this_thread_stack();
  if (__tsan_get_current_fiber != nullptr) fiber->tsan_fiber_ = __tsan_get_current_fiber();
  return fiber;
}

base::Result<std::unique_ptr<Fiber>> Fiber::create(std::size_t stack_bytes, Body body,
                                                   void* argument) {
  const base::Result<void*> tsan_fiber = create_tsan_fiber();
  if (!tsan_fiber) return tsan_fiber.error();
  const std::size_t bytes = (stack_bytes + kOsPage - 1) / kOsPage * kOsPage + kGuardBytes;
  void* mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED || !guard(mapping)) {
    const int error = errno;
    if (mapping != MAP_FAILED) munmap(mapping, bytes);
    destroy_tsan_fiber(*tsan_fiber);
    return base::Error{
        base::format("the system refused {} KiB of address space for a stack: {}; nest waits less "
                     "deeply, or raise the limit (ulimit -v, vm.max_map_count)",
                     bytes / 1024, std::strerror(error))};
  }
  std::unique_ptr<Fiber> fiber(new Fiber);
  fiber->mapping_ = mapping;
  fiber->mapped_bytes_ = bytes;
  fiber->body_ = body;
  fiber->argument_ = argument;
  auto* first = static_cast<std::byte*>(mapping);
  fiber->stack_ = {first + kGuardBytes, first + bytes};
  fiber->context_.begin(first + kGuardBytes, bytes - kGuardBytes, &Fiber::enter, fiber.get());
  fiber->tsan_fiber_ = *tsan_fiber;
  return fiber;
}

Fiber::~Fiber() {
  if (mapping_ == nullptr) return;
  base::tell_usable(mapping_, mapped_bytes_);  // the calls that are left on it are gone
  destroy_tsan_fiber(tsan_fiber_);
  MYR_ASSERT(munmap(mapping_, mapped_bytes_) == 0);
}

// The C++ runtime keeps for each thread which exceptions are being handled, and how many are on
// their way. Both belong to the calls on a stack.
void Fiber::switch_to(Fiber& from, Fiber& to) noexcept {
  std::memcpy(&from.exceptions_, __cxa_get_globals(), sizeof from.exceptions_);
  std::memcpy(__cxa_get_globals(), &to.exceptions_, sizeof to.exceptions_);
  swap_stack_state(from.state_, to.state_);
  before_switch(&from.fake_stack_, to.stack_, to.tsan_fiber_);
  Context::swap(from.context_, to.context_);
  after_switch(from.fake_stack_);
}

void Fiber::enter(void* fiber) {
  after_switch(nullptr);
  const auto* self = static_cast<Fiber*>(fiber);
  self->body_(self->argument_);
  MYR_ASSERT(false);  // a body must not return
}

}  // namespace myr::plat
