// SPDX-License-Identifier: Apache-2.0
//
// Dice: small random numbers, the same on every platform and library (splitmix64). For MYR_CHAOS:
// each agent of a machine has dice of its own, so what one of them throws does not depend on how
// fast the others are.
#pragma once

#include <cstdint>

namespace myr::base {

class Dice {
 public:
  // `agent`: dice of one seed differ from agent to agent.
  Dice(std::uint64_t seed, std::uint64_t agent) noexcept : state_(seed) {
    state_ = next() ^ ((agent + 1) * 0xD6E8FEB86659FD93U);
  }

  std::uint64_t next() noexcept {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  // 0 to bound - 1. REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }
  bool one_in(std::uint64_t bound) noexcept { return below(bound) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace myr::base
