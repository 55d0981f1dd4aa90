// SPDX-License-Identifier: Apache-2.0
//
// From an address to the slot that starts there: the lookup under free() and under the heap's
// queries. Wait-free, any thread, any address.
#pragma once

#include <bit>
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
  std::uint32_t owner_code = 0;  // 0: the span is gone
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

// The objects of one slab, for a run of lookups that stays in it. Valid until one of them is freed.
class SlabView {
 public:
  // The slab around the address. It covers nothing if the address is misaligned or outside.
  MYR_INLINE explicit SlabView(const void* address) noexcept {
    const std::uint64_t granule = aligned_granule(address);
    if (MYR_UNLIKELY(granule >= described_granules.load(sync::relaxed))) return;
    const Slab& slab = slab_of(granule);
    number_ = granule / kSlabGranules;
    const std::uint64_t first = slab.first_offset.load(sync::relaxed);
    first_granule_ = first * (kSlabGranules / sizeof(Slab));
    inverse_ = slab.inverse.load(sync::relaxed);
    owner_code_ = slab.owner_code.load(sync::relaxed);
    const Slab& span = *reinterpret_cast<const Slab*>(kSlabTable + first);
    live_ = owner_code_ == 0 ? 0 : span.live.load(sync::relaxed);
    bytes_ = std::size_t{span.granules.load(sync::relaxed)} * kGranuleBytes;
  }
  [[nodiscard]] bool covers(const void* address) const noexcept {
    return aligned_granule(address) / kSlabGranules == number_;
  }
  // Slot size of the live object that starts at the address, else 0. REQUIRES: covers(address).
  [[nodiscard]] std::size_t object_bytes(const void* address) const noexcept {
    const SlotOffset offset = divide(aligned_granule(address) - first_granule_, inverse_);
    const bool found = offset.is_start() && (live_ >> offset.slot() & 1) != 0;
    return found ? bytes_ : 0;
  }
  // How many live objects lie side by side, this one and those behind it, as far as the slab's span
  // goes. REQUIRES: object_bytes(address) != 0.
  [[nodiscard]] unsigned live_from(const void* address) const noexcept {
    const SlotOffset offset = divide(aligned_granule(address) - first_granule_, inverse_);
    return static_cast<unsigned>(std::countr_one(live_ >> offset.slot()));
  }
  [[nodiscard]] std::size_t slot_bytes() const noexcept { return bytes_; }
  // The owner of all its objects.
  [[nodiscard]] std::uint32_t owner() const noexcept { return ~owner_code_; }

 private:
  std::uint64_t number_ = ~std::uint64_t{0};
  std::uint64_t first_granule_ = 0;
  std::uint64_t live_ = 0;
  std::size_t bytes_ = 0;
  std::uint32_t inverse_ = 0;
  std::uint32_t owner_code_ = 0;  // 0: nobody's, or a huge object's
};

}  // namespace myr::mem
