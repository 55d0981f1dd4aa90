// SPDX-License-Identifier: Apache-2.0
//
// SmallFunctions: the functions whose tasks have turned out small many times in a row, each with
// all that it spawned. One task that takes longer takes the trust away, and it takes twice as many
// then to get it back: so a function whose tasks change costs little, however often they do.
//
// Threads: the worker's own.
// Limits: 32 places, by a hash; of functions that share one, the latest is known.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/contract.hpp"
#include "graph/task.hpp"

namespace myr::engine {

class SmallFunctions {
 public:
  static constexpr std::uint32_t kTrustedAfter = 16;

  [[nodiscard]] bool contains(myr_body function) noexcept {
    if (MYR_LIKELY(function == last_)) return true;
    const Place& place = places_[place_of(function)];
    if (place.function != function || place.missing != 0) return false;
    last_ = function;
    return true;
  }
  // A task of the function has ended. Was it small?
  void note(myr_body function, bool small) noexcept {
    Place& place = places_[place_of(function)];
    if (place.function != function) {
      place = {.function = function};
      last_ = nullptr;
    }
    if (!small) {
      last_ = nullptr;
      if (place.needed < kNeededMax) place.needed *= 2;
      place.missing = place.needed;
    } else if (place.missing != 0) {
      place.missing -= 1;
    }
  }

 private:
  static constexpr std::uint32_t kNeededMax = 1U << 20;
  struct Place {
    myr_body function = nullptr;
    std::uint32_t needed = kTrustedAfter;
    std::uint32_t missing = kTrustedAfter;  // small tasks, until it is trusted
  };
  static constexpr unsigned kPlaceBits = 5;

  [[nodiscard]] static std::size_t place_of(myr_body function) noexcept {
    return std::bit_cast<std::uintptr_t>(function) * 0x9E3779B97F4A7C15ULL >> (64 - kPlaceBits);
  }

  std::array<Place, std::size_t{1} << kPlaceBits> places_;
  myr_body last_ = nullptr;  // one that is trusted
};

}  // namespace myr::engine
