// SPDX-License-Identifier: Apache-2.0
//
// What a worker lets the others know of itself, in a cache line of its own: whether it gets things
// done, and whether its tasks take so little that moving one costs more than it gains.
//
// Threads: step() and set_fine_grained() by the owner; look() by any. A hint: no order with
// anything else.
#pragma once

#include <cstdint>

#include "base/bits.hpp"
#include "sync/atomic.hpp"

namespace myr::engine {

class Progress {
 public:
  struct Value {
    std::uint32_t steps;  // tasks spawned and run, modulo 2^31
    bool fine_grained;
  };

  // The owner spawned or runs a task. Never reads the shared line, so others that look do not make
  // it wait.
  void step() noexcept {
    own_ += 2;
    shared_.word.store(own_, sync::relaxed);
  }
  void set_fine_grained(bool fine) noexcept {
    own_ = (own_ & ~1U) | (fine ? 0U : 1U);
    shared_.word.store(own_, sync::relaxed);
  }
  [[nodiscard]] bool is_fine_grained() const noexcept { return (own_ & 1U) == 0; }

  [[nodiscard]] Value look() const noexcept {
    const std::uint32_t word = shared_.word.load(sync::relaxed);
    return {word >> 1, (word & 1U) == 0};
  }

 private:
  struct alignas(base::kCacheLine) Shared {
    // Written by the owner, read by all; bit 0: tasks are not small.
    sync::Atomic<std::uint32_t> word{0};
  };

  std::uint32_t own_ = 0;  // what the owner wrote last
  Shared shared_;
};

}  // namespace myr::engine
