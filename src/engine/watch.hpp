// SPDX-License-Identifier: Apache-2.0
//
// With more workers than processors, the ones beyond are a reserve that sleeps: awake, they would
// only take the processors from the others. They are needed when those others stand still with
// tasks ready, as in a task that waits for another to run beside it, or for a file. The watch finds
// out: it looks up from time to time, and calls one worker of the reserve if nobody has moved.
//
// Threads: loop() by a thread of its own, stop() by another.
#pragma once

#include <cstdint>

#include "sync/atomic.hpp"

namespace myr::engine {

class Engine;

class Watch {
 public:
  explicit Watch(Engine& engine) noexcept : engine_(engine) {}
  // Returns after stop().
  void loop();
  void stop();

 private:
  // Between two looks: the longest that a reserve waits while tasks are ready; where none is, how
  // seldom the watch disturbs.
  static constexpr std::uint64_t kNapMinNs = 2'000'000;
  static constexpr std::uint64_t kNapMaxNs = 100'000'000;

  // Looks once; returns how long to nap.
  std::uint64_t look();

  Engine& engine_;
  std::uint64_t steps_ = 0;  // of all workers, at the last look
  std::uint64_t nap_ns_ = kNapMinNs;
  sync::Atomic<std::uint32_t> stopping_{0};  // a futex, set by stop()
};

}  // namespace myr::engine
