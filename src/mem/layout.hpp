// SPDX-License-Identifier: Apache-2.0
//
// Where the heap and its metadata lie, and what the metadata of one slab and one page is. All of it
// stands at fixed addresses, so that a lookup is a shift and an add: no search, no table pointer to
// load.
//
//   kHeapBase     | page 0 | page 1 (1 MB) = slabs 256, 257, ... (4 KB) of 64 granules (64 B) | ...
//   kSlabTable    one Slab (32 B) a slab: whose it is, and which objects live there
//   kRunTable     one Run (16 B) a slab: free runs, and lists of spans
//   kPageRunTable, kPageTable    the same for pages
//
// Page 0 is never handed out, so index 0 means "none" for slabs and for pages.
//
// The base lies below the place where Linux puts position-independent programs (0x5555'5555'4000
// and up) and above everything else, in the gap that AddressSanitizer and ThreadSanitizer leave to
// programs: one place for all builds, and for all processes that will share the heap. See
// docs/adr/0004-heap-metadata.md.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "sync/atomic.hpp"

namespace myr::mem {

inline constexpr std::size_t kGranuleBytes = 64;
inline constexpr std::size_t kSlabBytes = 4096;
inline constexpr std::size_t kPageBytes = std::size_t{1} << 20;
inline constexpr std::uint32_t kSlabGranules = kSlabBytes / kGranuleBytes;
inline constexpr std::uint32_t kPageSlabs = kPageBytes / kSlabBytes;
inline constexpr std::uint32_t kPageGranules = kPageBytes / kGranuleBytes;
inline constexpr std::uint32_t kNone = 0;  // no slab, no page, no list entry

inline constexpr std::size_t kHeapBytesMax = std::size_t{256} << 30;
inline constexpr std::uintptr_t kHeapBase = 0x5500'0000'0000;

enum class SpanState : std::uint8_t {
  Full,     // in no list: no free slot here, or parked, or a large object
  Listed,   // in its size class's list of spans with free slots
  Current,  // the span from which its size class hands out
};

// One slab of a span (slabs side by side that hold at most 64 slots of one size). What describes
// the span as a whole stands in its first slab; the rest is the same in all its slabs. In a free
// slab the owner code is 0, and the rest is what it was, to tell a second free from a wild pointer.
// Atomic fields: written by the thread that uses the pool, read by lookups of any thread. All
// relaxed: a thread that looks an object up got its address from the allocating thread in some
// ordered way.
//
// An array that is used by blocks has a span for itself, so of `live` only one bit is needed. Its
// bit 0 is clear, so those that ask for an object find none; the bit that is set says how large a
// block is, as a power of two.
struct Slab {
  sync::Atomic<std::uint64_t> live;          // first slab: bit i: slot i holds a live object
  sync::Atomic<std::uint32_t> owner_code;    // ~owner, so that zero means kNoOwner
  sync::Atomic<std::uint32_t> granules;      // slot size
  sync::Atomic<std::uint32_t> first_offset;  // of the span's first slab in the slab table
  sync::Atomic<std::uint32_t> inverse;       // inverse_of(granules), see slots.hpp
  std::uint32_t span_slabs;                  // first slab: length of the span
  std::uint8_t slot_count;                   // first slab
  SpanState state;                           // first slab
};
static_assert(sizeof(Slab) == 32);

// One slab (or page) as part of a free run, see run_heap.hpp. For the first slab of a span: next
// and prev link the spans of one size class.
struct Run {
  std::uint32_t next;
  std::uint32_t prev;
  std::uint32_t length;
  // Whose free run starts or ends here; 0: none. Neighbours of other holders read it, hence atomic.
  sync::Atomic<std::uint32_t> holder;
};
static_assert(sizeof(Run) == 16);

// One page that a pool holds as a whole.
struct Page {
  // First page of the huge object that covers this one, or kNone. Written by the pool's user, read
  // by lookups of any thread.
  sync::Atomic<std::uint32_t> huge_first;
  std::uint32_t pool;  // the pool's holder id, 0: none
  std::uint32_t next;  // pages (or first pages of huge objects) of the same pool
  std::uint32_t prev;
};

inline constexpr std::size_t kSlabsMax = kHeapBytesMax / kSlabBytes;
inline constexpr std::size_t kPagesMax = kHeapBytesMax / kPageBytes;
// Tables have room for one entry more than there are slabs or pages: a look at a right neighbour
// reads it.
inline constexpr std::size_t kTableSlack = 4096;
inline constexpr std::uintptr_t kSlabTable = kHeapBase + kHeapBytesMax;
inline constexpr std::uintptr_t kRunTable = kSlabTable + kSlabsMax * sizeof(Slab) + kTableSlack;
inline constexpr std::uintptr_t kPageRunTable = kRunTable + kSlabsMax * sizeof(Run) + kTableSlack;
inline constexpr std::uintptr_t kPageTable = kPageRunTable + kPagesMax * sizeof(Run) + kTableSlack;
inline constexpr std::uintptr_t kTablesEnd = kPageTable + kPagesMax * sizeof(Page) + kTableSlack;
static_assert(kTablesEnd < 0x5555'5555'4000, "programs are loaded from there on");

[[nodiscard]] inline Slab& slab_at(std::uint32_t slab) noexcept {
  return reinterpret_cast<Slab*>(kSlabTable)[slab];
}
// The slab that a granule lies in. Written as one shift and one mask: free() runs it twice.
[[nodiscard]] inline Slab& slab_of(std::uint64_t granule) noexcept {
  constexpr std::uint64_t kStep = sizeof(Slab);
  static_assert(kSlabGranules % kStep == 0);
  return *reinterpret_cast<Slab*>(kSlabTable + (granule / (kSlabGranules / kStep) & ~(kStep - 1)));
}
[[nodiscard]] inline Run& run_at(std::uint32_t slab) noexcept {
  return reinterpret_cast<Run*>(kRunTable)[slab];
}
[[nodiscard]] inline Page& page_at(std::uint32_t page) noexcept {
  return reinterpret_cast<Page*>(kPageTable)[page];
}

// The tables describe the granules below this one: all of the reserved range, of which most were
// never handed out. 0 without a heap. Written by the page source; relaxed, because an address from
// the heap comes with an order of its own.
inline sync::Atomic<std::uint64_t> described_granules{0};

// Bytes of the reserved range; 0 without a heap.
inline sync::Atomic<std::uint64_t> reserved_bytes{0};

// Pages that nobody has, and that have memory behind them. kIdlePagesKept always keep it.
inline sync::Atomic<std::uint32_t> idle_pages{0};
inline constexpr std::uint32_t kIdlePagesKept = 64;

// Granules are numbered from kHeapBase.
[[nodiscard]] inline std::byte* granule_address(std::uint64_t granule) noexcept {
  return reinterpret_cast<std::byte*>(kHeapBase + granule * kGranuleBytes);
}
[[nodiscard]] inline std::byte* slab_address(std::uint32_t slab) noexcept {
  return granule_address(std::uint64_t{slab} * kSlabGranules);
}
[[nodiscard]] inline std::uintptr_t heap_offset(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) - kHeapBase;
}

// The number of the granule that starts at this address; huge for a misaligned address, so that one
// comparison with described_granules tells both range and alignment.
[[nodiscard]] inline std::uint64_t aligned_granule(const void* address) noexcept {
  return std::rotr(std::uint64_t{heap_offset(address)}, std::countr_zero(kGranuleBytes));
}

[[nodiscard]] inline std::uint32_t index_of(const Slab& slab) noexcept {
  return static_cast<std::uint32_t>((reinterpret_cast<std::uintptr_t>(&slab) - kSlabTable) /
                                    sizeof(Slab));
}
// The memory that an entry of the slab table describes.
[[nodiscard]] inline std::byte* slab_data(const Slab& slab) noexcept {
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(&slab) - kSlabTable;
  return reinterpret_cast<std::byte*>(kHeapBase + offset * (kSlabBytes / sizeof(Slab)));
}

// Slabs or pages side by side.
struct Extent {
  std::uint32_t first = kNone;
  std::uint32_t count = 0;
  explicit operator bool() const noexcept { return count != 0; }
  [[nodiscard]] std::uint32_t end() const noexcept { return first + count; }
  [[nodiscard]] bool covers(Extent part) const noexcept {
    return first <= part.first && part.end() <= end();
  }
};

// The whole pages inside an extent of slabs, as an extent of pages.
[[nodiscard]] inline Extent whole_pages(Extent slabs) noexcept {
  const auto first =
      static_cast<std::uint32_t>(base::round_up(slabs.first, kPageSlabs) / kPageSlabs);
  const std::uint32_t end = slabs.end() / kPageSlabs;
  return first < end ? Extent{first, end - first} : Extent{};
}
[[nodiscard]] inline Extent slabs_of_pages(Extent pages) noexcept {
  return {pages.first * kPageSlabs, pages.count * kPageSlabs};
}

}  // namespace myr::mem
