// SPDX-License-Identifier: Apache-2.0
//
// From an address to the slot that starts there: the lookup under free() and under the heap's
// queries. Wait-free, any thread, any address.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/contract.hpp"
#include "mem/layout.hpp"
#include "mem/slots.hpp"

namespace myr::mem {

// A slot of a span that is, or was last, at some address. Whether an object lives in it:
// span->live.
struct Place {
  Slab* span = nullptr;  // its first slab; nullptr: no slot starts at the address
  std::uint64_t slot = 0;
  std::uint32_t owner_code = 0;  // 0: the span is no more
};

[[nodiscard]] inline Place place_of(const void* address) noexcept {
  const std::uint64_t granule = aligned_granule(address);
  if (MYR_UNLIKELY(granule >= described_granules.load(sync::relaxed))) return {};
  const Slab& slab = slab_of(granule);
  const std::uint64_t first = slab.first_offset.load(sync::relaxed);
  const std::uint64_t first_granule = first * (kSlabGranules / sizeof(Slab));
  const SlotOffset offset = divide(granule - first_granule, slab.inverse.load(sync::relaxed));
  if (MYR_UNLIKELY(!offset.is_start())) return {};
  Slab& span = *reinterpret_cast<Slab*>(kSlabTable + first);
  return {&span, offset.slot(), slab.owner_code.load(sync::relaxed)};
}

}  // namespace myr::mem
