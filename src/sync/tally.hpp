// SPDX-License-Identifier: Apache-2.0
//
// Tally: a number that one thread counts, and that any thread may read meanwhile. It publishes
// nothing else: relaxed. A copy has what was read.
#pragma once

#include <cstdint>

#include "sync/atomic.hpp"

namespace myr::sync {

class Tally {
 public:
  Tally() = default;
  Tally(const Tally& other) noexcept : count_(other.value()) {}
  Tally& operator=(const Tally& other) noexcept { return *this = other.value(); }

  [[nodiscard]] std::uint64_t value() const noexcept { return count_.load(relaxed); }
  operator std::uint64_t() const noexcept { return value(); }

  // The counting thread's.
  Tally& operator=(std::uint64_t count) noexcept {
    count_.store(count, relaxed);
    return *this;
  }
  Tally& operator+=(std::uint64_t count) noexcept { return *this = value() + count; }
  Tally& operator-=(std::uint64_t count) noexcept { return *this = value() - count; }

 private:
  Atomic<std::uint64_t> count_{0};
};

}  // namespace myr::sync
