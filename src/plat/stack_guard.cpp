// SPDX-License-Identifier: Apache-2.0
#include "plat/stack_guard.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>

#include "plat/fault.hpp"

namespace myr::plat {

namespace {

constexpr std::size_t kHandlerBytes = std::size_t{64} << 10;
// A fault so far below where a stack ends or has got to, or so little above its end, is one of
// running out of it.
constexpr std::uintptr_t kBelow = std::uintptr_t{1} << 20;
constexpr std::uintptr_t kAbove = std::uintptr_t{16} << 10;

// At the beginning of the stack of the handler, which so finds what its thread has without a
// thread-local variable. The address is the proof that the stack is one of this library's.
struct Watched {
  const void* proof;
  StackWatch watch;
};
constexpr char kProof = 0;
constexpr std::size_t kMib = std::size_t{1} << 20;

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// Where the thread's stack had got to; above all stacks if that is not known.
std::uintptr_t stack_pointer([[maybe_unused]] const void* context) {
  [[maybe_unused]] const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(machine.sp);
#elif defined(__riscv)
  return static_cast<std::uintptr_t>(machine.__gregs[REG_SP]);
#else
  return UINTPTR_MAX;
#endif
}

StackWatch* watch_of_this_thread() {
  stack_t own = {};
  if (sigaltstack(nullptr, &own) != 0 || (own.ss_flags & SS_DISABLE) != 0) return nullptr;
  if (own.ss_size != kHandlerBytes) return nullptr;
  auto* const watched = static_cast<Watched*>(own.ss_sp);
  return watched->proof == &kProof ? &watched->watch : nullptr;
}

// Returns whether it is one, and told.
bool tell_overflow(const StackWatch& watch, const siginfo_t& info, const void* context) {
  const std::uintptr_t address = address_of(info.si_addr);
  const std::uintptr_t low = address_of(watch.stack->low);
  const std::uintptr_t high = address_of(watch.stack->high);
  // A frame may be larger than all that is left, and touched at any end first.
  const std::uintptr_t reached = std::min(stack_pointer(context), low);
  if (address >= low + kAbove || address + kBelow <= reached) return false;
  watch.tell(watch.who, {.bytes = high - low, .wanted = high - std::min(reached, address)});
  return true;
}

void tell(const StackWatch& watch, int signal, const siginfo_t& info, const void* context) {
  if (signal == SIGSEGV && tell_overflow(watch, info, context)) return;
  if (watch.tell_fault == nullptr) return;
  watch.tell_fault(watch.who, {.signal = signal,
                               .has_address = signal != SIGABRT,
                               .address = signal == SIGABRT ? 0 : address_of(info.si_addr)});
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const bool is_own = info->si_code > 0 || signal == SIGABRT;  // nobody has sent it
  if (const StackWatch* const watch = is_own ? watch_of_this_thread() : nullptr) {
    tell(*watch, signal, *info, context);
  }
  leave_to_system(signal, *info);
}

// Handles a signal while the library is loaded.
class Handler {
 public:
  explicit Handler(int signal) noexcept : signal_(signal) {
    if (!is_left_to_system(signal)) return;
    struct sigaction ours = {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    is_set_ = sigaction(signal, &ours, nullptr) == 0;
  }
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;
  ~Handler() {
    struct sigaction present = {};
    if (!is_set_ || sigaction(signal_, nullptr, &present) != 0) return;
    if ((present.sa_flags & SA_SIGINFO) == 0 || present.sa_sigaction != on_fault) return;
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    sigaction(signal_, &usual, nullptr);
  }
  [[nodiscard]] bool is_set() const noexcept { return is_set_; }

 private:
  const int signal_;
  bool is_set_ = false;
};

}  // namespace

std::size_t StackOverflow::enough_mib() const noexcept {
  const std::size_t enough = std::max({kMib, 2 * bytes, wanted + wanted / 4});
  return std::bit_ceil(enough) / kMib;
}

void watch_stack(const StackWatch& watch) noexcept {
  static const Handler handlers[] = {Handler(SIGSEGV), Handler(SIGBUS), Handler(SIGFPE),
                                     Handler(SIGILL), Handler(SIGABRT)};
  const auto is_set = [](const Handler& handler) { return handler.is_set(); };
  if (StackWatch* const before = watch_of_this_thread()) {
    *before = watch;
    return;
  }
  stack_t present = {};
  if (std::none_of(std::begin(handlers), std::end(handlers), is_set)) return;
  if (sigaltstack(nullptr, &present) != 0) return;
  if ((present.ss_flags & SS_DISABLE) == 0) return;
  void* memory = mmap(nullptr, kHandlerBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  ::new (memory) Watched{.proof = &kProof, .watch = watch};
  const stack_t stack = {.ss_sp = memory, .ss_flags = 0, .ss_size = kHandlerBytes};
  if (sigaltstack(&stack, nullptr) != 0) munmap(memory, kHandlerBytes);
}

void unwatch_stack() noexcept {
  if (watch_of_this_thread() == nullptr) return;
  const stack_t none = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  stack_t ours = {};
  if (sigaltstack(&none, &ours) == 0) munmap(ours.ss_sp, kHandlerBytes);
}

void write_to_stderr(const char* text) noexcept {
  static_cast<void>(!write(STDERR_FILENO, text, std::strlen(text)));
}

}  // namespace myr::plat
