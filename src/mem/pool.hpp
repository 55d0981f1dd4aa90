// SPDX-License-Identifier: Apache-2.0
//
// The objects of one region: a slab allocator over chunks and pages of its own (paper 2,
// section 3).
//
// Threads: one at a time; a thread that passes a pool to another one orders the two. Lookups in
// Heap run beside it.
//
// Words: a slot holds one object; a span is some slabs side by side, cut into at most 64 slots of
// one size, which may cross the slab borders in it; a size class hands out the slots of one size.
// Metadata lies in the tables of layout.hpp and in the pool itself, never beside the data, so that
// a region's data can be moved as it is.
//
// Invariants
//   1. Every slab of the pool is in a free run of runs_, or in a span, or in that of a huge object.
//   2. A class's mask names slots of its current span that are not live.
//   3. A span with free slots is Listed, Current or parked. A Full one has none.
//   4. A span without objects is parked with its class, unless the class hands out from it; parked
//      spans turn into free runs when other classes need slabs, or too much lies idle.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/contract.hpp"
#include "mem/depot.hpp"
#include "mem/layout.hpp"
#include "mem/place.hpp"
#include "mem/run_heap.hpp"

namespace myr::mem {

struct Range {
  std::byte* first = nullptr;
  std::size_t bytes = 0;
};

enum class FreeResult {
  Ok,
  NotAnObject,  // not the first byte of an object of this pool
  AlreadyFree,  // a slot of this pool or of the last that had the slab, but free
};

// A part of what a pool has, for another process with the same heap, in which the pool goes on.
struct PoolPart {
  enum class Kind : std::uint16_t {
    Block,  // where the pool lies; the slabs: its table of classes, if it has one
    Chunk,  // of its depot
    Page,   // the page of these slabs
    Huge,   // object
    Span,   // with objects
  };
  std::uint64_t live = 0;      // Huge, Span; of Block: its address
  std::uint32_t first = 0;     // slab
  std::uint32_t count = 0;     // slabs
  std::uint32_t granules = 0;  // Huge, Span
  Kind kind = Kind::Block;
  std::uint16_t slots = 0;  // Span
};

// How a pool's slabs are used. Full: no free slot touches it.
struct PoolStats {
  std::size_t full_slabs = 0;
  std::size_t partial_slabs = 0;
  std::size_t free_slabs = 0;
  std::size_t object_count = 0;
  std::size_t object_bytes = 0;  // of slots
};

class alignas(64) Pool {
 public:
  Pool(Depot& home, std::uint32_t owner, Extent chunk) noexcept;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  // Gives all memory back, the pool's own included: it ends here, like with delete.
  void close() noexcept;
  // Ends it here, but its memory, and what lookups say of its objects, stay as they are: it goes on
  // in another process. Returns what that has to know; the block comes first.
  [[nodiscard]] std::vector<PoolPart> leave();
  // It goes on here, at the same place. REQUIRES: all of its memory is the depot's, and unused.
  static Pool* come(Depot& home, std::uint32_t owner, std::span<const PoolPart> parts);

  // See Heap for the contracts.
  [[nodiscard]] void* alloc(std::size_t bytes) noexcept {
    void* object = alloc_at_once(bytes);
    return MYR_LIKELY(object != nullptr) ? object : alloc_slow(bytes);
  }
  // The same if a slot is at hand, else nullptr: for callers with a slow path of their own.
  [[nodiscard]] void* alloc_at_once(std::size_t bytes) noexcept;
  [[nodiscard]] bool alloc_many(std::size_t bytes, std::size_t count, void** out) noexcept;
  // An array that is used by blocks of 2^block_shift bytes.
  [[nodiscard]] void* alloc_blocks(std::size_t bytes, unsigned block_shift) noexcept;
  FreeResult free(void* object) noexcept;
  void pack(std::vector<Range>& out) const;
  // Gives back what has no objects in it, except for a span of each size.
  void trim();
  [[nodiscard]] PoolStats stats() const;
  // nullptr, or what of the invariants does not hold. Cost: O(slabs).
  [[nodiscard]] const char* broken_invariant() const;
  [[nodiscard]] std::uint32_t owner() const noexcept { return ~owner_code_; }

 private:
  static constexpr std::uint32_t kChunksMax = 12;
  static constexpr std::uint32_t kClassesInside = 5;  // the first is the "none" class
  static constexpr std::uint32_t kMapSize = 32;

  struct SizeClass {
    std::uint64_t mask = 0;        // slots of the current span that can be handed out at once
    Slab* span = nullptr;          // the current span
    std::uint32_t granules = 0;    // slot size
    std::uint32_t listed = kNone;  // spans with free slots, linked by Run::next and prev
    std::uint32_t parked = kNone;  // empty spans, linked by Run::next
    std::uint16_t next_class = 0;  // with the same residue in map_
    std::uint8_t next_slabs = 0;   // length of the next new span
  };

  [[nodiscard]] static constexpr std::uint32_t class_table_slabs(std::size_t classes) noexcept {
    return static_cast<std::uint32_t>((classes * sizeof(SizeClass) + kSlabBytes - 1) / kSlabBytes);
  }

  [[nodiscard]] void* alloc_slow(std::size_t bytes) noexcept;
  [[nodiscard]] void* alloc_large(std::uint64_t granules) noexcept;
  [[nodiscard]] void* alloc_huge(std::uint64_t granules) noexcept;
  [[nodiscard]] MYR_COLD FreeResult free_blocks(void* object) noexcept;
  [[nodiscard]] FreeResult refuse(const void* object) const noexcept;
  void after_free(Slab& span) noexcept;

  [[nodiscard]] SizeClass* class_for(std::uint32_t granules) noexcept;
  [[nodiscard]] SizeClass* find_class(std::uint64_t granules) noexcept;
  [[nodiscard]] bool grow_classes() noexcept;
  void give_class_table() noexcept;
  [[nodiscard]] bool refill(SizeClass& size_class) noexcept;
  [[nodiscard]] std::uint32_t next_span(SizeClass& size_class) noexcept;
  [[nodiscard]] std::uint32_t carve(SizeClass& size_class) noexcept;
  static void list_span(SizeClass& size_class, std::uint32_t span) noexcept;
  static void unlist_span(SizeClass& size_class, std::uint32_t span) noexcept;
  [[nodiscard]] static void* take_slot(SizeClass& size_class) noexcept;
  [[nodiscard]] static std::size_t take_slots(SizeClass& size_class, std::span<void*> out) noexcept;

  void enter_span(Extent slabs, std::uint64_t granules, std::uint32_t slots) noexcept;
  void park_span(SizeClass& size_class, std::uint32_t span) noexcept;
  [[nodiscard]] std::uint32_t unpark_span(SizeClass& size_class) noexcept;
  void release_span(std::uint32_t span) noexcept;
  void release_parked() noexcept;
  [[nodiscard]] std::uint32_t idle_slabs() const noexcept {
    return runs_.free_count() + parked_slabs_;
  }
  void free_huge(std::uint32_t slab) noexcept;

  [[nodiscard]] Extent take_slabs(std::uint32_t count) noexcept;
  [[nodiscard]] bool grow(std::uint32_t count) noexcept;
  [[nodiscard]] bool add_chunk(std::uint32_t count) noexcept;
  [[nodiscard]] bool add_page() noexcept;
  void give_slabs(Extent slabs) noexcept;
  [[nodiscard]] std::uint32_t idle_max() const noexcept;
  void give_back(Extent run, std::uint32_t slabs_max) noexcept;
  void give_back_chunk(Extent run) noexcept;
  void link_page(std::uint32_t& list, std::uint32_t page) noexcept;
  static void unlink_page(std::uint32_t& list, std::uint32_t page) noexcept;
  [[nodiscard]] std::uint32_t holder() const noexcept;
  [[nodiscard]] std::vector<Extent> extents() const;
  struct ListedSpans;
  [[nodiscard]] const char* find_listed(ListedSpans& listed) const;
  [[nodiscard]] const char* broken_invariant(std::uint32_t span, const ListedSpans& listed) const;

  Pool(Depot& home, std::uint32_t owner) noexcept;
  void come_part(const PoolPart& part);
  void add_gaps(std::vector<Extent> own, std::span<const PoolPart> parts);

  // Touched by every alloc and free.
  SizeClass* classes_ = inside_;
  std::uint32_t owner_code_;
  std::uint16_t class_count_ = 1;
  std::uint16_t class_capacity_ = kClassesInside;
  std::uint16_t map_[kMapSize] = {};  // [granules % kMapSize]: index of a class, 0: none
  SizeClass inside_[kClassesInside];
  // Touched by the slow paths.
  RunHeap runs_;
  Depot* home_;
  std::uint32_t parked_slabs_ = 0;
  std::uint32_t slab_count_ = 0;  // in chunks and pages, without huge objects
  std::uint32_t pages_ = kNone;   // held as slabs, linked by Page
  std::uint32_t huge_ = kNone;    // first pages of huge objects, linked by Page
  std::uint32_t chunk_count_ = 0;
  Extent chunks_[kChunksMax];
};

// ---- fast paths -------------------------------------------------------------------------------

inline void* Pool::take_slot(SizeClass& size_class) noexcept {
  Slab& span = *size_class.span;
  const auto slot = static_cast<unsigned>(std::countr_zero(size_class.mask));
  size_class.mask &= size_class.mask - 1;
  span.live.store(span.live.load(sync::relaxed) | std::uint64_t{1} << slot, sync::relaxed);
  return slab_data(span) + std::size_t{size_class.granules * slot} * kGranuleBytes;
}

inline void* Pool::alloc_at_once(std::size_t bytes) noexcept {
  const std::size_t granules = (bytes + kGranuleBytes - 1) / kGranuleBytes;
  SizeClass& size_class = classes_[map_[granules % kMapSize]];
  if (MYR_UNLIKELY(size_class.granules != granules || size_class.mask == 0)) return nullptr;
  return take_slot(size_class);
}

inline FreeResult Pool::free(void* object) noexcept {
  const Place place = place_of(object);
  if (MYR_UNLIKELY(!place.span)) return FreeResult::NotAnObject;
  Slab& span = *place.span;
  std::uint64_t live = span.live.load(sync::relaxed);
  const std::uint64_t bit = std::uint64_t{1} << place.slot;
  if (MYR_UNLIKELY(place.owner_code != owner_code_ || (live & bit) == 0)) {
    return free_blocks(object);
  }
  live ^= bit;
  span.live.store(live, sync::relaxed);
  if (MYR_LIKELY(span.state == SpanState::Listed && live != 0)) return FreeResult::Ok;
  if (span.state != SpanState::Current) after_free(span);
  return FreeResult::Ok;
}

}  // namespace myr::mem
