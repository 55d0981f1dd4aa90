// SPDX-License-Identifier: Apache-2.0
//
// Pages: where depots and pools get pages from. One process has PageSource; where schedulers share
// nothing, each brings its own.
#pragma once

#include <cstdint>

#include "mem/layout.hpp"

namespace myr::mem {

// How many free slabs are kept where, when addresses are plentiful (high) and when they run out
// (low).
struct Watermark {
  std::uint32_t low;
  std::uint32_t high;
};
inline constexpr Watermark kFirstSlabs{.low = 1, .high = 4};    // a new region gets these
inline constexpr Watermark kIdleSlabs{.low = 4, .high = 2048};  // a region gives back above these

class Pages {
 public:
  Pages() = default;
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  // Takes `count` pages side by side, readable and writable, of any content; empty: none left.
  [[nodiscard]] virtual Extent take(std::uint32_t count) noexcept = 0;
  virtual void give(Extent pages) noexcept = 0;
  // The present height of a watermark.
  [[nodiscard]] virtual std::uint32_t level(Watermark mark) const noexcept = 0;
  // Collects idle pages from depots, before "out of memory" is the answer.
  virtual void reclaim() noexcept = 0;

 protected:
  ~Pages() = default;
};

}  // namespace myr::mem
