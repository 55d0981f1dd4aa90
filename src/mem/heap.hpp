// SPDX-License-Identifier: Apache-2.0
//
// The heap of the process: one reserved address range at a fixed place, in which every region has a
// pool of its own, and lookups that tell from any address whose object it lies in.
//
//   Heap (this file)
//     -> Pool: the objects of one region        one thread at a time, no lock
//       -> Depot: chunks of slabs for pools     a few, shared by threads; a lock
//         -> PageSource: pages of 1 MB          one; a lock, about once a megabyte
//
// Threads: create() and destroy() while no other thread uses the heap; all others from any thread,
// but each pool from one thread at a time. See docs/adr/0004-heap-metadata.md.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "mem/layout.hpp"
#include "mem/place.hpp"
#include "mem/pool.hpp"

namespace myr::mem {

struct HeapOptions {
  std::size_t reserve_bytes = kHeapBytesMax;  // addresses; memory arrives when it is touched
};

struct HeapStats {
  std::size_t reserved_bytes = 0;   // addresses
  std::size_t committed_bytes = 0;  // pages in use or idle that may have memory behind them
  std::size_t used_bytes = 0;       // slots of live objects
  std::size_t page_count = 0;       // in use by pools and depots
  std::size_t pool_count = 0;
  std::uint64_t closed_extents = 0;  // chunks and page runs that pool_free() gave back, ever
};

class Heap {
 public:
  using FreeResult = mem::FreeResult;
  static constexpr std::uint32_t kNoOwner = 0xffff'ffff;

  // Reserves the range; the process has one heap. Errors: a text that says what the system refused.
  [[nodiscard]] static base::Result<Heap*> create(HeapOptions options = {});
  [[nodiscard]] static bool exists() noexcept;
  // REQUIRES: exists().
  [[nodiscard]] static Heap& instance() noexcept;
  // Unmaps the range with everything in it.
  void destroy() noexcept;

  // A new pool. `owner`, not kNoOwner, is what owner_of() tells of its objects, and differs between
  // pools that live at the same time. nullptr: out of memory. Cost: about 100 ns with pool_free(),
  // 4 KB for a small pool.
  [[nodiscard]] Pool* pool_new(std::uint32_t owner) noexcept;
  // The same, with memory from a certain depot.
  [[nodiscard]] static Pool* pool_new(Depot& home, std::uint32_t owner) noexcept;
  // Frees the pool with all its objects. Cost: by chunks and pages, not by objects.
  void pool_free(Pool* pool) noexcept;

  // An object of at least `bytes` (0 counts as 1), aligned to 64. nullptr: out of memory or
  // addresses.
  [[nodiscard]] static void* alloc(Pool& pool, std::size_t bytes) noexcept {
    return pool.alloc(bytes);
  }
  // All `count` objects, or none and false.
  [[nodiscard]] bool alloc_many(Pool& pool, std::size_t bytes, std::size_t count,
                                void** out) noexcept {
    return pool.alloc_many(bytes, count, out);
  }
  // An array that tasks use by blocks of 2^block_shift bytes, from 64 on: object_at() does not find
  // it. Takes some 60 KB of addresses at least.
  [[nodiscard]] static void* alloc_blocks(Pool& pool, std::size_t bytes,
                                          unsigned block_shift) noexcept {
    return pool.alloc_blocks(bytes, block_shift);
  }
  static FreeResult free(Pool& pool, void* object) noexcept { return pool.free(object); }

  // Lookups: wait-free, for any address.

  // Inside the reserved range.
  [[nodiscard]] static bool contains(const void* address) noexcept;
  // Whose slab it is, kNoOwner if nobody's.
  [[nodiscard]] static std::uint32_t owner_of(const void* address) noexcept;
  // Slot size of the live object that starts here, else 0.
  [[nodiscard]] static std::size_t object_bytes(const void* first) noexcept;
  // Both at once, for the live object that starts here; no bytes if there is none.
  struct Whole {
    std::uint32_t owner = kNoOwner;
    std::size_t bytes = 0;
  };
  [[nodiscard]] static Whole object_at(const void* first) noexcept;
  // A live object, so that one look tells whether it, or one of the same size and owner, is there
  // later. For those that ask often.
  struct Key {
    std::uint32_t owner_code = 0;
    std::uint32_t granules = 0;
    std::uint32_t first_offset = 0;
    std::uint32_t slot = 0;
  };
  // REQUIRES: object_at(first).bytes != 0.
  [[nodiscard]] static Key key_of(const void* first) noexcept;
  // REQUIRES: the key is one of this address.
  [[nodiscard]] static bool is_there(const void* first, const Key& key) noexcept;
  // The live object, or array with blocks, that contains the address, or an empty range.
  [[nodiscard]] static Range find_object(const void* inside) noexcept;
  // log2 of the blocks' bytes of what find_object() has found, by its first byte; 0: it has none.
  [[nodiscard]] static unsigned block_shift_of(const void* first) noexcept {
    const Slab& span = *place_of(first).span;
    if (span.granules.load(sync::relaxed) <= kSharedGranulesMax) return 0;
    return static_cast<unsigned>(std::countr_zero(span.live.load(sync::relaxed)));
  }

  // Appends the pool's non-empty slabs, ascending, neighbours joined.
  void pack(const Pool& pool, std::vector<Range>& out) const { pool.pack(out); }
  [[nodiscard]] HeapStats stats() const noexcept;

  // For schedulers that trade pages among themselves, and make usable what they hand out; see
  // page_source.hpp.
  [[nodiscard]] static Extent set_aside(std::uint32_t count) noexcept;
  [[nodiscard]] static bool make_usable(Extent pages) noexcept;
  // Pages that are nobody's yet, and the indices of depots that are nobody's: from here on.
  [[nodiscard]] static Pages& pages() noexcept;
  static constexpr std::uint32_t kDepotCount = 16;

  // Collects idle pages from all depots, before "out of memory" is the answer.
  static void reclaim() noexcept;
  // Pages that nobody has wanted for 100 ms go to the system, except for a few. To be called now
  // and then, if there are many.
  [[nodiscard]] static bool has_many_idle_pages() noexcept {
    return idle_pages.load(sync::relaxed) > kIdlePagesKept;
  }
  static void trim(std::uint64_t now_ns) noexcept;

 private:
  [[nodiscard]] MYR_COLD static std::uint32_t owner_of_huge(std::uint64_t granule) noexcept;
};

// An array with blocks, to use it again and again: a look tells whether it is still there.
// What lookups say of it follows from its span, so an array at the same place of which the span
// says the same is as good.
class ArrayView {
 public:
  ArrayView() noexcept = default;
  // The array around the address; without blocks: of no bytes.
  explicit ArrayView(const void* inside) noexcept {
    const Range array = Heap::find_object(inside);
    if (array.first == nullptr) return;
    shift_ = Heap::block_shift_of(array.first);
    if (shift_ == 0) return;
    span_ = place_of(array.first).span;
    owner_code_ = span_->owner_code.load(sync::relaxed);
    first_ = reinterpret_cast<std::uint64_t>(array.first);
    bytes_ = array.bytes;
  }
  // Takes any two addresses that a program names.
  [[nodiscard]] bool covers(std::uint64_t begin, std::uint64_t end) const noexcept {
    return begin - first_ < bytes_ && end - first_ <= bytes_;
  }
  // REQUIRES: covers() has said yes.
  [[nodiscard]] bool is_there() const noexcept {
    return span_->live.load(sync::relaxed) == std::uint64_t{1} << shift_ &&
           span_->owner_code.load(sync::relaxed) == owner_code_ &&
           span_->granules.load(sync::relaxed) * kGranuleBytes == bytes_;
  }
  [[nodiscard]] std::uint64_t first() const noexcept { return first_; }
  [[nodiscard]] unsigned block_shift() const noexcept { return shift_; }
  [[nodiscard]] std::uint32_t owner() const noexcept { return ~owner_code_; }

 private:
  const Slab* span_ = nullptr;
  std::uint64_t first_ = ~std::uint64_t{0};
  std::uint64_t bytes_ = 0;
  std::uint32_t owner_code_ = 0;
  unsigned shift_ = 0;
};

// ---- fast paths -------------------------------------------------------------------------------

inline bool Heap::contains(const void* address) noexcept {
  return heap_offset(address) < reserved_bytes.load(sync::relaxed);
}

inline std::uint32_t Heap::owner_of(const void* address) noexcept {
  const std::uint64_t granule = heap_offset(address) / kGranuleBytes;
  if (granule >= described_granules.load(sync::relaxed)) return kNoOwner;
  const Slab& slab = slab_at(static_cast<std::uint32_t>(granule / kSlabGranules));
  const std::uint32_t code = slab.owner_code.load(sync::relaxed);
  return MYR_LIKELY(code != 0) ? ~code : owner_of_huge(granule);
}

inline Heap::Whole Heap::object_at(const void* first) noexcept {
  const Place place = place_of(first);
  if (place.owner_code == 0) return {};
  if ((place.span->live.load(sync::relaxed) >> place.slot & 1) == 0) return {};
  return {~place.owner_code, std::size_t{place.span->granules.load(sync::relaxed)} * kGranuleBytes};
}

inline Heap::Key Heap::key_of(const void* first) noexcept {
  const Place place = place_of(first);
  return {place.owner_code, place.span->granules.load(sync::relaxed),
          slab_of(aligned_granule(first)).first_offset.load(sync::relaxed),
          static_cast<std::uint32_t>(place.slot)};
}

// A slab's inverse follows from its granules.
MYR_INLINE bool Heap::is_there(const void* first, const Key& key) noexcept {
  const Slab& slab = slab_of(aligned_granule(first));
  const auto& span = *reinterpret_cast<const Slab*>(kSlabTable + key.first_offset);
  return ((slab.owner_code.load(sync::relaxed) ^ key.owner_code) |
          (slab.granules.load(sync::relaxed) ^ key.granules) |
          (slab.first_offset.load(sync::relaxed) ^ key.first_offset)) == 0 &&
         (span.live.load(sync::relaxed) >> key.slot & 1) != 0;
}

inline std::size_t Heap::object_bytes(const void* first) noexcept { return object_at(first).bytes; }

}  // namespace myr::mem
