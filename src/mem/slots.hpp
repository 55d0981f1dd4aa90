// SPDX-License-Identifier: Apache-2.0
//
// How slots of one size lie in a span of slabs: back to back from the span's first byte, across
// slab borders, at most 64, so that one word tells which are live. Pure arithmetic on granules of
// 64 bytes.
#pragma once

#include <array>
#include <cstdint>

#include "mem/layout.hpp"

namespace myr::mem {

// Objects up to this size share spans; a larger one has a span for itself, of which it wastes less
// than 1/16.
inline constexpr std::uint32_t kSharedGranulesMax = 15 * kSlabGranules;
inline constexpr std::uint32_t kSlotsMax = 64;

[[nodiscard]] constexpr std::uint32_t slabs_for(std::uint64_t granules) noexcept {
  return static_cast<std::uint32_t>((granules + kSlabGranules - 1) / kSlabGranules);
}

// REQUIRES: span_slabs <= granules; so at most 64 slots, and no 65th that only just does not fit.
[[nodiscard]] constexpr std::uint32_t slot_count(std::uint32_t granules,
                                                 std::uint32_t span_slabs) noexcept {
  return span_slabs * kSlabGranules / granules;
}

// The usual span of a size: 64 slots without waste for sizes up to 1 KB; above, 16 slabs or a few
// more, of which at most 1/16 is unused.
[[nodiscard]] constexpr std::uint32_t usual_span_slabs(std::uint32_t granules) noexcept {
  constexpr std::uint32_t kUsual = 16;
  if (granules <= kUsual) return granules;
  std::uint32_t slabs = kUsual;
  while (slabs * kSlabGranules % granules * 16 > slabs * kSlabGranules) slabs += 1;
  return slabs;
}

namespace detail {
consteval std::array<std::uint8_t, kSharedGranulesMax + 1> make_usual_spans() {
  std::array<std::uint8_t, kSharedGranulesMax + 1> spans{};
  for (std::uint32_t granules = 1; granules <= kSharedGranulesMax; ++granules) {
    spans[granules] = static_cast<std::uint8_t>(usual_span_slabs(granules));
  }
  return spans;
}
inline constexpr auto kUsualSpans = make_usual_spans();
}  // namespace detail

// Division by a slot size as a multiplication, for the offsets of a span. The high bits of the
// product are the slot, and the low bits, about the remainder / slot size, are small only if a slot
// starts at the offset: at most 63 * 960 there, at least 2^31 / 960 elsewhere. A large object's
// inverse makes offset 0 the only start.
struct SlotOffset {
  std::uint64_t product;
  [[nodiscard]] constexpr bool is_start() const noexcept { return (product & 0x7fff'0000) == 0; }
  [[nodiscard]] constexpr std::uint64_t slot() const noexcept { return product >> 31; }
};
[[nodiscard]] constexpr std::uint32_t inverse_of(std::uint64_t granules) noexcept {
  constexpr std::uint64_t kOne = std::uint64_t{1} << 31;
  return static_cast<std::uint32_t>(
      granules > kSharedGranulesMax ? kOne - 1 : (kOne + granules - 1) / granules);
}
[[nodiscard]] constexpr SlotOffset divide(std::uint64_t offset, std::uint32_t inverse) noexcept {
  return {offset * inverse};
}

}  // namespace myr::mem
