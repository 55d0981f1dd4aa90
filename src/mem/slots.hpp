// SPDX-License-Identifier: Apache-2.0
//
// How slots of one size lie in a span of slabs: back to back from the span's first byte, across slab borders.
// Pure arithmetic on granules (64 B).
#pragma once

#include <array>
#include <cstdint>

#include "mem/layout.hpp"

namespace myr::mem {

// Objects up to this size share spans; a larger one has a span for itself, of which it wastes less than 1/16.
inline constexpr std::uint32_t kSharedGranulesMax = 15 * kSlabGranules;

[[nodiscard]] constexpr std::uint32_t slabs_for(std::uint64_t granules) noexcept {
  return static_cast<std::uint32_t>((granules + kSlabGranules - 1) / kSlabGranules);
}

// The shortest span in which slots of this size leave at most 1/16 unused. 192 B: one slab, 1/64 unused.
[[nodiscard]] constexpr std::uint32_t dense_span_slabs(std::uint32_t granules) noexcept {
  std::uint32_t slabs = slabs_for(granules);
  while (slabs * kSlabGranules % granules * 16 > slabs * kSlabGranules) slabs += 1;
  return slabs;
}

namespace detail {
consteval std::array<std::uint64_t, kSlabGranules + 1> make_start_masks() {
  std::array<std::uint64_t, kSlabGranules + 1> masks{};
  for (std::uint32_t granules = 1; granules <= kSlabGranules; ++granules) {
    for (std::uint32_t at = 0; at < kSlabGranules; at += granules) {
      masks[granules] |= std::uint64_t{1} << at;
    }
  }
  return masks;
}
// [g]: where slots of g granules start in a slab whose first slot starts at 0.
inline constexpr auto kStartMasks = make_start_masks();

consteval std::array<std::uint8_t, kSharedGranulesMax + 1> make_dense_spans() {
  std::array<std::uint8_t, kSharedGranulesMax + 1> spans{};
  for (std::uint32_t granules = 1; granules <= kSharedGranulesMax; ++granules) {
    spans[granules] = static_cast<std::uint8_t>(dense_span_slabs(granules));
  }
  return spans;
}
inline constexpr auto kDenseSpans = make_dense_spans();
}  // namespace detail

// Where slots start in slab number `slab` (from 0) of a span of `span_slabs`, as a mask of its granules.
[[nodiscard]] constexpr std::uint64_t slot_starts(std::uint32_t granules, std::uint32_t span_slabs,
                                                  std::uint32_t slab) noexcept {
  const std::uint32_t slab_start = slab * kSlabGranules;
  const std::uint32_t into_slot = slab_start % granules;
  const std::uint32_t offset = into_slot == 0 ? 0 : granules - into_slot;
  if (offset >= kSlabGranules) return 0;
  std::uint64_t starts = granules < kSlabGranules ? detail::kStartMasks[granules] << offset
                                                  : std::uint64_t{1} << offset;
  // The last slot must end inside the span.
  const std::uint32_t slot_count = span_slabs * kSlabGranules / granules;
  const std::uint32_t starts_end = (slot_count - 1) * granules + 1;
  if (starts_end <= slab_start) return 0;
  const std::uint32_t here = starts_end - slab_start;
  if (here < kSlabGranules) starts &= (std::uint64_t{1} << here) - 1;
  return starts;
}

}  // namespace myr::mem
