// SPDX-License-Identifier: Apache-2.0
//
// Jitter: delays of random length, mostly none at all: what a busy machine does to a thread, on
// purpose (MYR_CHAOS).
//
// Threads: one at a time.
#pragma once

#include <cstdint>

#include "base/dice.hpp"

namespace myr::plat {

class Jitter {
 public:
  explicit Jitter(base::Dice dice) noexcept : dice_(dice) {}

  // Returns at once, spins for some microseconds, yields the processor, or sleeps for up to a tenth
  // of a millisecond. The n-th thousand of calls delays n times as rarely as the first: a program
  // of a million tasks shall end, too.
  void delay();

  [[nodiscard]] base::Dice& dice() noexcept { return dice_; }

 private:
  base::Dice dice_;
  std::uint64_t calls_ = 0;
};

}  // namespace myr::plat
