// SPDX-License-Identifier: Apache-2.0
//
// Explorer of interleavings: runs a small multi-threaded test body again and again, each time with
// another schedule and other outcomes of weak memory, until all within given bounds were seen or
// one fails.
//
//   const explore::Report report = explore::search({.preemptions_max = 2}, [](explore::Threads&
//   threads) {
//     sync::Atomic<int> flag{0};
//     threads.start([&] { flag.store(1, sync::release); });
//     threads.start([&] { ... });
//     threads.join();
//     explore::check(flag.load(sync::relaxed) == 1, "the flag is set");
//   });
//   INFO(report.text);
//   CHECK_FALSE(report.failed);
//
// A failure is: a check() that does not hold, a data race on a Plain<T>, all threads asleep, or no
// end after `steps_max` operations. Its report shows each operation, and a path that replays it:
// MYR_REPLAY=PATH, in the environment, makes search() run this one path.
//
// The body must do the same each time it sees the same values: no clock, no random numbers, no
// decision by address. All atomics live inside it. Threads of the body are fibers of the calling
// thread; after a failure they are abandoned, without running destructors.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace myr::explore {

struct Options {
  unsigned preemptions_max =
      2;  // searched in full: schedules with at most so many forced switches,
  unsigned stale_reads_max = 2;              // and so many loads that return not the newest value
  std::uint64_t executions_max = 1'000'000;  // gives up the full search after that many
  std::uint64_t random_executions = 2'000;   // then so many at random, without the bounds
  std::uint64_t seed = 1;
  unsigned steps_max = 2'000;
};

struct Report {
  bool failed = false;
  bool exhausted = false;  // the full search came to its end
  std::uint64_t executions = 0;
  std::string text;  // one line, or for a failure all that is known
};

// Given to the body: starts its threads, at most five, all before join().
class Threads {
 public:
  void start(std::function<void()> body);
  void join();
};

[[nodiscard]] Report search(const Options& options, const std::function<void(Threads&)>& body);

// Fails the execution if `holds` is false. Inside a body only.
void check(bool holds, const char* expectation);

}  // namespace myr::explore
