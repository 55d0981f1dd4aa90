// SPDX-License-Identifier: Apache-2.0
//
// Size classes: which slab hands out the next slot, and where freed slots go.
#include "mem/pool.hpp"

#include <algorithm>
#include <new>

#include "mem/slots.hpp"

namespace myr::mem {

using sync::relaxed;

Pool::Pool(Depot& home, std::uint32_t owner, Extent chunk) noexcept
    : owner_code_(~owner), runs_(kRunTable, holder()), home_(&home) {
  chunks_[chunk_count_++] = chunk;
  slab_count_ = chunk.count;
  runs_.add(chunk);
}

// A pool lies in the heap itself, so its granule number is an id that no other pool has.
std::uint32_t Pool::holder() const noexcept {
  return static_cast<std::uint32_t>(heap_offset(this) / kGranuleBytes);
}

void* Pool::alloc_slow(std::size_t bytes) noexcept {
  if (bytes > kHeapBytesMax) return nullptr;
  const std::uint64_t granules =
      base::round_up(std::max<std::size_t>(bytes, 1), kGranuleBytes) / kGranuleBytes;
  if (slabs_for(granules) > kPageSlabs) return alloc_huge(granules);
  if (granules > kSharedGranulesMax) return alloc_large(granules);
  SizeClass* const size_class = class_for(static_cast<std::uint32_t>(granules));
  if (size_class == nullptr) return nullptr;
  if (size_class->mask == 0 && !refill(*size_class)) return nullptr;
  return take_slot(*size_class);
}

bool Pool::alloc_many(std::size_t bytes, std::size_t count, void** out) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = alloc(bytes);
    if (out[i] != nullptr) continue;
    while (i-- > 0) free(out[i]);
    return false;
  }
  return true;
}

FreeResult Pool::refuse(const void* object) const noexcept {
  const std::uint64_t granule = heap_offset(object) / kGranuleBytes;
  const Slab& slab = slab_at(static_cast<std::uint32_t>(granule / kSlabGranules));
  const std::uint32_t code = slab.owner_code.load(relaxed);
  // The slots of a slab that was given back are still known: nobody else uses it, so the object was here.
  const bool ours = code == owner_code_ || code == 0;
  const bool was_slot = (slab.slots >> (granule % kSlabGranules) & 1) != 0;
  return ours && was_slot ? FreeResult::AlreadyFree : FreeResult::NotAnObject;
}

// A slab got its first free slot, or lost its last object.
void Pool::after_free(std::uint32_t slab) noexcept {
  Slab& entry = slab_at(slab);
  const std::uint32_t granules = entry.granules.load(relaxed);
  if (slabs_for(granules) > kPageSlabs) return free_huge(slab);
  const std::uint32_t first = entry.first_slab.load(relaxed);
  const Extent span{first, run_at(first).length};
  if (granules > kSharedGranulesMax) return release_span(span);
  SizeClass& size_class = *find_class(granules);
  if (entry.state == SlabState::Full) list_slab(size_class, slab);
  if (entry.live.load(relaxed) != 0) return;
  const bool handed_out = span.first <= size_class.slab && size_class.slab < span.end();
  if (!handed_out && span_is_empty(span)) park_span(size_class, span);
}

Pool::SizeClass* Pool::find_class(std::uint32_t granules) noexcept {
  std::uint32_t index = map_[granules % kMapSize];
  while (index != 0 && classes_[index].granules != granules) index = classes_[index].next_class;
  return index != 0 ? &classes_[index] : nullptr;
}

Pool::SizeClass* Pool::class_for(std::uint32_t granules) noexcept {
  if (SizeClass* known = find_class(granules)) return known;
  if (class_count_ == class_capacity_ && !grow_classes()) return nullptr;
  const std::uint16_t index = class_count_++;
  SizeClass& made = *::new (&classes_[index]) SizeClass{.granules = granules};
  // The fast path sees only the first class of each residue: small sizes go there.
  std::uint16_t& head = map_[granules % kMapSize];
  std::uint16_t& place = head == 0 || granules <= kMapSize ? head : classes_[head].next_class;
  made.next_class = place;
  place = index;
  return &made;
}

// From the few classes inside the pool to a table of one slab, then to one that holds all sizes.
bool Pool::grow_classes() noexcept {
  constexpr auto kAllSizesSlabs = class_table_slabs(kSharedGranulesMax + 1);
  const bool first = classes_ == inside_;
  const Extent table = home_->take_table(first ? 1 : kAllSizesSlabs);
  if (!table) return false;
  auto* const classes = reinterpret_cast<SizeClass*>(slab_address(table.first));
  std::uninitialized_copy_n(classes_, class_count_, classes);
  give_class_table();
  classes_ = classes;
  class_capacity_ = static_cast<std::uint16_t>(table.count * kSlabBytes / sizeof(SizeClass));
  return true;
}

void Pool::give_class_table() noexcept {
  if (classes_ == inside_) return;
  const auto first = static_cast<std::uint32_t>(heap_offset(classes_) / kSlabBytes);
  home_->give_table({first, class_table_slabs(class_capacity_)});
}

// Makes the class's mask non-empty: slots that were freed in the current slab since, then listed
// slabs, then parked spans, then new ones.
bool Pool::refill(SizeClass& size_class) noexcept {
  if (size_class.slab != kNone) {
    Slab& current = slab_at(size_class.slab);
    size_class.mask = current.slots & ~current.live.load(relaxed);
    if (size_class.mask != 0) return true;
    current.state = SlabState::Full;
    size_class.slab = kNone;
  }
  if (size_class.listed == kNone) {
    if (size_class.parked != kNone) {
      unpark_span(size_class);
    } else if (!carve(size_class)) {
      return false;
    }
  }
  const std::uint32_t slab = size_class.listed;
  unlist_slab(size_class, slab);
  Slab& entry = slab_at(slab);
  entry.state = SlabState::Current;
  size_class.slab = slab;
  size_class.mask = entry.slots & ~entry.live.load(relaxed);
  return true;
}

// Cuts a new span into slots. A class's first span is as short as can be: many regions hold one object.
bool Pool::carve(SizeClass& size_class) noexcept {
  const std::uint32_t granules = size_class.granules;
  const std::uint32_t shortest = slabs_for(granules);
  Extent span = take_slabs(size_class.has_span ? detail::kDenseSpans[granules] : shortest);
  if (!span) span = take_slabs(shortest);
  if (!span) return false;
  size_class.has_span = true;
  run_at(span.first).length = span.count;
  for (std::uint32_t i = 0; i < span.count; ++i) {
    const std::uint64_t slots = slot_starts(granules, span.count, i);
    enter_slab(span.first + i, span.first, granules, slots);
  }
  list_span(size_class, span);
  return true;
}

// Lists the slabs of an empty span, so that the lowest comes first.
void Pool::list_span(SizeClass& size_class, Extent span) noexcept {
  for (std::uint32_t slab = span.end(); slab-- > span.first;) {
    if (slab_at(slab).slots != 0) list_slab(size_class, slab);
  }
}

void Pool::list_slab(SizeClass& size_class, std::uint32_t slab) noexcept {
  Run& links = run_at(slab);
  links.next = size_class.listed;
  links.prev = kNone;
  if (links.next != kNone) run_at(links.next).prev = slab;
  size_class.listed = slab;
  slab_at(slab).state = SlabState::Listed;
}

void Pool::unlist_slab(SizeClass& size_class, std::uint32_t slab) noexcept {
  const Run& links = run_at(slab);
  if (links.next != kNone) run_at(links.next).prev = links.prev;
  if (links.prev != kNone) {
    run_at(links.prev).next = links.next;
  } else {
    size_class.listed = links.next;
  }
}

void Pool::enter_slab(std::uint32_t slab, std::uint32_t first, std::uint64_t granules,
                      std::uint64_t slots) noexcept {
  Slab& entry = slab_at(slab);
  entry.slots = slots;
  entry.owner_code.store(owner_code_, relaxed);
  entry.granules.store(static_cast<std::uint32_t>(granules), relaxed);
  entry.first_slab.store(first, relaxed);
  entry.state = SlabState::Full;
}

bool Pool::span_is_empty(Extent span) noexcept {
  for (std::uint32_t slab = span.first; slab < span.end(); ++slab) {
    if (slab_at(slab).live.load(relaxed) != 0) return false;
  }
  return true;
}

// Puts an empty span aside, ready for its class: giving it back at once would cost more than the
// frees that emptied it, and often it is wanted again.
void Pool::park_span(SizeClass& size_class, Extent span) noexcept {
  for (std::uint32_t slab = span.first; slab < span.end(); ++slab) {
    if (slab_at(slab).state == SlabState::Listed) unlist_slab(size_class, slab);
  }
  run_at(span.first).next = size_class.parked;
  size_class.parked = span.first;
  parked_slabs_ += span.count;
  if (idle_slabs() > kIdleSlabs.low && idle_slabs() > idle_max()) release_parked();
}

void Pool::unpark_span(SizeClass& size_class) noexcept {
  const std::uint32_t first = size_class.parked;
  const Run& links = run_at(first);
  const Extent span{first, links.length};
  size_class.parked = links.next;
  parked_slabs_ -= span.count;
  list_span(size_class, span);
}

// Turns all parked spans into free slabs.
void Pool::release_parked() noexcept {
  for (std::uint32_t i = 1; i < class_count_; ++i) {
    while (classes_[i].parked != kNone) {
      const std::uint32_t first = classes_[i].parked;
      const Extent span{first, run_at(first).length};
      classes_[i].parked = run_at(first).next;
      parked_slabs_ -= span.count;
      release_span(span);
    }
  }
}

// Turns an empty span that is in no list into free slabs.
void Pool::release_span(Extent span) noexcept {
  for (std::uint32_t slab = span.first; slab < span.end(); ++slab) {
    slab_at(slab).owner_code.store(0, relaxed);
    slab_at(slab).granules.store(0, relaxed);
  }
  give_slabs(span);
}

}  // namespace myr::mem
