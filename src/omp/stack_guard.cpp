// SPDX-License-Identifier: Apache-2.0
#include "omp/stack_guard.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "omp/settings.hpp"
#include "plat/fault.hpp"

namespace myr::omp {

namespace {

constexpr std::size_t kHandlerBytes = std::size_t{64} << 10;
// A fault so far below the end of a stack, or so little above, is one of running out of it.
constexpr std::uintptr_t kBelow = std::uintptr_t{1} << 20;
constexpr std::uintptr_t kAbove = std::uintptr_t{16} << 10;

bool is_prepared = false;  // by the thread that starts the first worker; workers see it
bool is_handled = false;
char message[256];
constinit thread_local std::uintptr_t lowest = 0;  // address of this worker's stack; 0: not watched
constinit thread_local void* second_stack = nullptr;

void on_fault(int signal, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (info->si_code > 0 && lowest != 0 && address < lowest + kAbove && address + kBelow > lowest) {
    static_cast<void>(!write(STDERR_FILENO, message, std::strlen(message)));
  }
  plat::leave_to_system(signal, *info);
}

std::size_t stack_bytes() {
  if (settings.stack_bytes != 0) return settings.stack_bytes;
  pthread_attr_t attributes;
  std::size_t bytes = 0;
  pthread_attr_init(&attributes);
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}

}  // namespace

void prepare_stack_message() {
  if (is_prepared) return;
  is_prepared = true;
  if (!plat::is_left_to_system(SIGSEGV)) return;
  const std::size_t kib = stack_bytes() >> 10;
  std::snprintf(message, sizeof message,
                "\nlibgomp: The stack of a thread of a parallel region, %zu KiB, is full. Ask for "
                "larger ones, for instance with OMP_STACKSIZE=%zuM in the environment.\n",
                kib, (4 * kib + 1023) >> 10);
  struct sigaction ours = {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  is_handled = sigaction(SIGSEGV, &ours, nullptr) == 0;
}

void watch_stack() {
  if (!is_handled) return;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  std::size_t bytes = 0;
  const int error = pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  if (error != 0) return;
  void* memory = mmap(nullptr, kHandlerBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  const stack_t stack = {.ss_sp = memory, .ss_flags = 0, .ss_size = kHandlerBytes};
  if (sigaltstack(&stack, nullptr) != 0) {
    munmap(memory, kHandlerBytes);
    return;
  }
  second_stack = memory;
  lowest = reinterpret_cast<std::uintptr_t>(low);
}

void unwatch_stack() {
  if (second_stack == nullptr) return;
  lowest = 0;
  const stack_t none = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  sigaltstack(&none, nullptr);
  munmap(second_stack, kHandlerBytes);
  second_stack = nullptr;
}

}  // namespace myr::omp
