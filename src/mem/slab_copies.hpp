// SPDX-License-Identifier: Apache-2.0
//
// What the heap's tables say of some slabs, for another process with the same heap, in which
// another one's objects are to be found, too.
//
// Threads: one at a time; lookups run beside it.
#pragma once

#include <cstdint>
#include <vector>

#include "mem/layout.hpp"

namespace myr::mem {

struct SlabCopy {
  std::uint64_t live;
  std::uint32_t slab;
  std::uint32_t owner_code;
  std::uint32_t granules;
  std::uint32_t first_offset;
  std::uint32_t inverse;
  std::uint32_t span_slabs;
  std::uint32_t slot_count;
  std::uint32_t is_huge;
};

// Copies of the object around the address, and of all slabs of the same owner in the same page,
// with the whole of what reaches into it. Empty: the address is nobody's.
[[nodiscard]] std::vector<SlabCopy> copy_slabs(const void* address);
// From now on lookups find the objects, and nothing that was entered there before.
void enter_slab(const SlabCopy& copy) noexcept;
// They find nothing there any more. REQUIRES: what is there was entered like that.
void leave_slab(std::uint32_t slab) noexcept;
// The same for all that was entered in the pages.
void leave_pages(Extent pages) noexcept;
// The object is gone, and its span, if that is empty now, may become another region's. REQUIRES: it
// is there.
void leave_object(const void* object) noexcept;
// The slab in whose entry lookups find what is at the address. REQUIRES: it is in the heap.
[[nodiscard]] std::uint32_t describing_slab(const void* address) noexcept;

}  // namespace myr::mem
