// SPDX-License-Identifier: Apache-2.0
//
// What the heap's tables say of some slabs, for another process with the same heap, in which
// somebody else's objects are to be found, too.
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

// Of the object around the address, and of all slabs of the same owner in the same page, with the
// whole of what reaches into it. Empty: the address is nobody's.
[[nodiscard]] std::vector<SlabCopy> copy_slabs(const void* address);
// From now on lookups find the objects.
void enter_slab(const SlabCopy& copy) noexcept;
// They find nothing there any more. REQUIRES: what is there was entered like that.
void leave_slab(std::uint32_t slab) noexcept;
// The object is gone. Returns its span if that is empty now, else nothing. REQUIRES: it is there.
[[nodiscard]] Extent leave_object(const void* object) noexcept;

}  // namespace myr::mem
