// SPDX-License-Identifier: Apache-2.0
#include "plat/thread.hpp"

#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <new>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "base/sanitizers.hpp"
#include "base/thread_context.hpp"
#include "plat/cpu_distance.hpp"
#include "plat/cpu_mask.hpp"
#include "plat/exit.hpp"
#include "plat/thread_slot.hpp"

namespace myr::plat {
namespace {

struct Start {
  std::string name;
  std::function<void()> body;
  sigset_t signals;  // that were blocked where it was started
};

// How it was started, in a thread of ours.
ThreadSlot& started() {
  static ThreadSlot slot;
  return slot;
}

// A task that calls exit() in a thread of ours: others run tasks, which use what exit() destroys.
void thread_ends(void*) {
  if (started().get() != nullptr && base::ThreadContext::current() != nullptr) cut_exit_short();
}

void* thread_main(void* argument) {
  at_thread_end(thread_ends, nullptr);
  const base::InLibrary in_library;
  const std::unique_ptr<Start> start(static_cast<Start*>(argument));
  started().set(start.get());
  if (!start->name.empty()) pthread_setname_np(pthread_self(), start->name.c_str());
  try {
    start->body();
  } catch (const std::bad_alloc&) {
    base::misuse(
        nullptr,
        "no memory left for the records of tasks and accesses; raise the limit (ulimit -v)");
  }
  return nullptr;
}

// Blocks all signals in the calling thread until the end of the scope, except those that say what
// it did wrong itself and those of profilers. A thread that is started meanwhile keeps them
// blocked.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int open : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF}) {
      sigdelset(&blocked, open);
    }
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

base::Result<Thread> Thread::start(const ThreadOptions& options, std::function<void()> body) {
  constexpr std::size_t kNameMax = 15;  // the kernel's limit
  auto start = std::make_unique<Start>(
      Start{.name = options.name.substr(0, kNameMax), .body = std::move(body), .signals = {}});
  pthread_sigmask(SIG_SETMASK, nullptr, &start->signals);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  std::size_t default_bytes = 0;
  pthread_attr_getstacksize(&attributes, &default_bytes);
  int status = 0;
  if (options.stack_bytes > default_bytes) {
    status = pthread_attr_setstacksize(&attributes, options.stack_bytes);
  }
  pthread_t handle;
  if (status == 0) {
    const SignalsBlocked blocked;
    status = pthread_create(&handle, &attributes, thread_main, start.get());
  }
  pthread_attr_destroy(&attributes);
  if (status != 0) {
    return base::Error{
        base::format("the system refused to start the thread {}: {}; use fewer threads, or raise "
                     "the limit (ulimit -u)",
                     options.name, std::strerror(status))};
  }
  static_cast<void>(start.release());  // now owned by thread_main()
  return Thread(handle);
}

void Thread::join() noexcept {
  if (std::exchange(joinable_, false)) pthread_join(handle_, nullptr);
}

void Thread::detach() noexcept {
  if (std::exchange(joinable_, false)) pthread_detach(handle_);
}

void forget_this_thread() noexcept {
  const auto* const start = static_cast<const Start*>(started().get());
  if (start == nullptr) return;
  pthread_sigmask(SIG_SETMASK, &start->signals, nullptr);
  started().set(nullptr);
}

bool is_only_thread() noexcept { return __libc_single_threaded != 0; }

void nap() noexcept {
  const timespec pause{.tv_sec = 0, .tv_nsec = 50'000};
  nanosleep(&pause, nullptr);
}

void prefer_short_slices() noexcept {
  constexpr std::uint64_t kSliceNs = 100'000;
  struct {  // the kernel's sched_attr, whose header and the C library's exclude each other
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
  } attributes{};
  attributes.size = sizeof attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
  if (attributes.policy != SCHED_OTHER) return;
  attributes.runtime = kSliceNs;
  syscall(SYS_sched_setattr, 0, &attributes, 0);  // refused: as without it
}

bool pin_this_thread(unsigned cpu) noexcept {
  if (cpu >= CpuMask::kCpusMax) return false;
  CpuMask mask;
  mask.add(cpu);
  return mask.apply();
}

std::vector<unsigned> usable_cpus() {
  CpuMask mask;
  std::vector<unsigned> cpus;
  if (mask.read()) {
    for (unsigned cpu = 0; cpu < CpuMask::kCpusMax; ++cpu) {
      if (mask.has(cpu)) cpus.push_back(cpu);
    }
  }
  if (cpus.empty()) cpus.push_back(0);
  std::map<std::string, unsigned> threads_seen;
  std::vector<std::pair<unsigned, unsigned>> ranked;  // by rank in the core, then by number
  for (const unsigned cpu : cpus) {
    const std::string core = cpu_place(cpu).sharers[CpuPlace::kCore];
    ranked.emplace_back(core.empty() ? 0 : threads_seen[core]++, cpu);
  }
  std::sort(ranked.begin(), ranked.end());
  std::transform(ranked.begin(), ranked.end(), cpus.begin(),
                 [](auto entry) { return entry.second; });
  return cpus;
}

}  // namespace myr::plat
