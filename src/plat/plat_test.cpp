// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sched.h>

#include <algorithm>
#include <csignal>
#include <cstdint>

#include "plat/clock.hpp"
#include "plat/cpu_mask.hpp"
#include "plat/futex.hpp"
#include "plat/membarrier.hpp"
#include "plat/this_cpu.hpp"
#include "plat/thread.hpp"

using namespace myr;

TEST_CASE("clocks do not go back") {
  const std::uint64_t first_ns = plat::now_ns();
  const std::uint64_t first_ticks = plat::ticks();
  plat::cpu_relax();
  CHECK(plat::ticks() >= first_ticks);
  CHECK(plat::now_ns() >= first_ns);
}

TEST_CASE("a started thread runs its body and can be joined twice") {
  bool ran = false;
  base::Result<plat::Thread> thread = plat::Thread::start(
      {.name = "a name longer than the kernel takes", .stack_bytes = 1 << 20}, [&] { ran = true; });
  REQUIRE(static_cast<bool>(thread));
  thread->join();
  thread->join();
  CHECK(ran);
}

TEST_CASE("signals of the program stay away from our threads, those of the thread itself do not") {
  sigset_t before;
  sigset_t inside;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  base::Result<plat::Thread> thread =
      plat::Thread::start({}, [&] { pthread_sigmask(SIG_SETMASK, nullptr, &inside); });
  REQUIRE(static_cast<bool>(thread));
  thread->join();
  for (const int kept_away : {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGWINCH}) {
    CHECK(sigismember(&inside, kept_away) == 1);
  }
  for (const int open : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPROF}) {
    CHECK(sigismember(&inside, open) == 0);
  }
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < 32; ++signal) {
    CHECK(sigismember(&before, signal) == sigismember(&after, signal));
  }
}

TEST_CASE("a thread leaves its processor, and may use the same ones as before") {
  const std::vector<unsigned> usable = plat::usable_cpus();
  bool has_moved = false;
  // The kernel may bring it back, or have moved it already.
  for (unsigned i = 0; i < 1000 && !has_moved; ++i) {
    const unsigned before = plat::this_cpu();
    plat::leave_this_cpu();
    has_moved = plat::this_cpu() != before;
  }
  CHECK(has_moved == (usable.size() > 1));
  CHECK(plat::usable_cpus() == usable);
}

TEST_CASE("a thread that is bound to one processor stays there") {
  bool stayed = false;
  base::Result<plat::Thread> thread = plat::Thread::start({}, [&] {
    const unsigned only = plat::usable_cpus().front();
    stayed = plat::pin_this_thread(only);
    plat::leave_this_cpu();
    stayed = stayed && plat::this_cpu() == only && plat::bound_cpu_count() == 1;
  });
  REQUIRE(static_cast<bool>(thread));
  thread->join();
  CHECK(stayed);
}

TEST_CASE("a thread that cannot start is an error with a text") {
  const base::Result<plat::Thread> thread =
      plat::Thread::start({.name = "huge", .stack_bytes = std::size_t{1} << 60}, [] {});
  REQUIRE_FALSE(static_cast<bool>(thread));
  CHECK(thread.error().text.find("huge") != std::string::npos);
}

TEST_CASE("the usable processors are distinct and at least as many as counted") {
  std::vector<unsigned> cpus = plat::usable_cpus();
  CHECK(cpus.size() >= plat::usable_cpu_count());
  std::sort(cpus.begin(), cpus.end());
  CHECK(std::adjacent_find(cpus.begin(), cpus.end()) == cpus.end());
}

TEST_CASE("a pinned thread runs on its processor") {
  const std::vector<unsigned> cpus = plat::usable_cpus();
  bool pinned = false;
  int cpu = -1;
  base::Result<plat::Thread> thread = plat::Thread::start({.name = "pinned"}, [&] {
    pinned = plat::pin_this_thread(cpus.back());
    cpu = sched_getcpu();
  });
  REQUIRE(static_cast<bool>(thread));
  thread->join();
  REQUIRE(pinned);
  CHECK(cpu == static_cast<int>(cpus.back()));
  CHECK_FALSE(plat::pin_this_thread(~0U));
}

TEST_CASE("a futex wait ends at once on another value, and at its timeout") {
  const std::uint32_t word = 1;
  CHECK(plat::futex_wait(&word, 2));
  CHECK_FALSE(plat::futex_wait(&word, 1, 1'000));
  plat::futex_wake(&word, 1);
}

TEST_CASE("a membarrier can be asked for whether or not the kernel has it") { plat::membarrier(); }
