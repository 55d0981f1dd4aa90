// SPDX-License-Identifier: Apache-2.0
//
// Size classes: which span hands out the next slot, and where freed slots go.
#include "mem/pool.hpp"

#include <algorithm>
#include <new>

#include "mem/slots.hpp"

namespace myr::mem {

using sync::relaxed;

namespace {
std::uint64_t free_slots(const Slab& span) noexcept {
  return ~span.live.load(relaxed) & (~std::uint64_t{0} >> (kSlotsMax - span.slot_count));
}

// Those of the slots that come first in this span. If the first object of each of many small
// regions lay at the start of a slab, all of them would share a few sets of the caches: following
// pointers through 1000 such regions takes 35 ns each instead of 7.
std::uint64_t coloured(std::uint64_t slots, const Slab& span) noexcept {
  const std::uint64_t later =
      slots & (~std::uint64_t{0} << (index_of(span) * 11 % span.slot_count));
  return later != 0 ? later : slots;
}
}  // namespace

Pool::Pool(Depot& home, std::uint32_t owner) noexcept
    : owner_code_(~owner), runs_(kRunTable, holder()), home_(&home) {}

Pool::Pool(Depot& home, std::uint32_t owner, Extent chunk) noexcept : Pool(home, owner) {
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
  std::size_t done = 0;
  while (done < count) {
    out[done] = alloc(bytes);
    if (out[done] == nullptr) {
      while (done-- > 0) free(out[done]);
      return false;
    }
    done += 1;
    const std::uint64_t granules = base::round_up(bytes, kGranuleBytes) / kGranuleBytes;
    if (SizeClass* size_class = find_class(granules)) {
      done += take_slots(*size_class, {out + done, count - done});
    }
  }
  return true;
}

// Fills `out` with slots that can be handed out at once, as far as they go; returns how many.
std::size_t Pool::take_slots(SizeClass& size_class, std::span<void*> out) noexcept {
  if (size_class.mask == 0) return 0;
  Slab& span = *size_class.span;
  const std::uint64_t offered = size_class.mask;
  std::byte* const data = slab_data(span);
  const std::size_t slot_bytes = std::size_t{size_class.granules} * kGranuleBytes;
  std::size_t done = 0;
  for (; done < out.size() && size_class.mask != 0; ++done) {
    out[done] = data + slot_bytes * static_cast<unsigned>(std::countr_zero(size_class.mask));
    size_class.mask &= size_class.mask - 1;
  }
  span.live.store(span.live.load(relaxed) | (offered ^ size_class.mask), relaxed);
  return done;
}

// No slot is live there, but an array with blocks may be.
FreeResult Pool::free_blocks(void* object) noexcept {
  const Place place = place_of(object);
  Slab& span = *place.span;
  const bool is_large = span.granules.load(relaxed) > kSharedGranulesMax;
  if (place.owner_code != owner_code_ || !is_large || span.live.load(relaxed) == 0) {
    return refuse(object);
  }
  span.live.store(0, relaxed);
  after_free(span);
  return FreeResult::Ok;
}

FreeResult Pool::refuse(const void* object) const noexcept {
  const Place place = place_of(object);
  // What a slab held is known until it is used anew: if nobody has it, the object was here.
  const bool mine = place.owner_code == owner_code_ || place.owner_code == 0;
  return mine && place.slot < place.span->slot_count ? FreeResult::AlreadyFree
                                                     : FreeResult::NotAnObject;
}

// A span got its first free slot, or lost its last object.
void Pool::after_free(Slab& entry) noexcept {
  const std::uint32_t span = index_of(entry);
  const std::uint32_t granules = entry.granules.load(relaxed);
  if (granules > kSharedGranulesMax) {
    return slabs_for(granules) > kPageSlabs ? free_huge(span) : release_span(span);
  }
  SizeClass& size_class = *find_class(granules);
  if (entry.live.load(relaxed) != 0) return list_span(size_class, span);
  if (entry.state == SpanState::Listed) unlist_span(size_class, span);
  park_span(size_class, span);
}

Pool::SizeClass* Pool::find_class(std::uint64_t granules) noexcept {
  std::uint32_t index = map_[granules % kMapSize];
  while (index != 0 && classes_[index].granules != granules) index = classes_[index].next_class;
  return index != 0 ? &classes_[index] : nullptr;
}

Pool::SizeClass* Pool::class_for(std::uint32_t granules) noexcept {
  if (SizeClass* known = find_class(granules)) return known;
  if (class_count_ == class_capacity_ && !grow_classes()) return nullptr;
  const std::uint16_t index = class_count_++;
  SizeClass& made = *::new (&classes_[index]) SizeClass{
      .granules = granules, .next_slabs = static_cast<std::uint8_t>(slabs_for(granules))};
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

// Makes the class's mask non-empty: slots that were freed in the current span since, or another
// span.
bool Pool::refill(SizeClass& size_class) noexcept {
  if (size_class.span != nullptr) {
    size_class.mask = free_slots(*size_class.span);
    if (size_class.mask != 0) return true;
    size_class.span->state = SpanState::Full;
    size_class.span = nullptr;
  }
  const std::uint32_t span = next_span(size_class);
  if (span == kNone) return false;
  Slab& entry = slab_at(span);
  entry.state = SpanState::Current;
  size_class.span = &entry;
  size_class.mask = free_slots(entry);
  if (slab_count_ <= kFirstSlabs.high) size_class.mask = coloured(size_class.mask, entry);
  return true;
}

// A span with free slots that is in no list: holes are filled before empty spans are used.
std::uint32_t Pool::next_span(SizeClass& size_class) noexcept {
  const std::uint32_t span = size_class.listed;
  if (span == kNone) {
    return size_class.parked != kNone ? unpark_span(size_class) : carve(size_class);
  }
  unlist_span(size_class, span);
  return span;
}

// Cuts a new span into slots. A class's first span is as short as can be, for many regions hold one
// object, and each further one twice as long, up to the usual length.
std::uint32_t Pool::carve(SizeClass& size_class) noexcept {
  const std::uint32_t granules = size_class.granules;
  Extent slabs = take_slabs(size_class.next_slabs);
  if (!slabs) slabs = take_slabs(slabs_for(granules));
  if (!slabs) return kNone;
  const std::uint32_t usual = detail::kUsualSpans[granules];
  size_class.next_slabs = static_cast<std::uint8_t>(std::min(2U * size_class.next_slabs, usual));
  enter_span(slabs, granules, slot_count(granules, slabs.count));
  return slabs.first;
}

void Pool::list_span(SizeClass& size_class, std::uint32_t span) noexcept {
  Run& links = run_at(span);
  links.next = size_class.listed;
  links.prev = kNone;
  if (links.next != kNone) run_at(links.next).prev = span;
  size_class.listed = span;
  slab_at(span).state = SpanState::Listed;
}

void Pool::unlist_span(SizeClass& size_class, std::uint32_t span) noexcept {
  const Run& links = run_at(span);
  if (links.next != kNone) run_at(links.next).prev = links.prev;
  if (links.prev != kNone) {
    run_at(links.prev).next = links.next;
  } else {
    size_class.listed = links.next;
  }
}

void Pool::enter_span(Extent slabs, std::uint64_t granules, std::uint32_t slots) noexcept {
  for (std::uint32_t i = slabs.first; i < slabs.end(); ++i) {
    Slab& slab = slab_at(i);
    slab.granules.store(static_cast<std::uint32_t>(granules), relaxed);
    slab.first_offset.store(slabs.first * sizeof(Slab), relaxed);
    slab.inverse.store(inverse_of(granules), relaxed);
    slab.owner_code.store(owner_code_, relaxed);
  }
  Slab& first = slab_at(slabs.first);
  first.span_slabs = slabs.count;
  first.slot_count = static_cast<std::uint8_t>(slots);
  first.state = SpanState::Full;
}

// Puts an empty span aside, ready for its class: giving it back at once would cost more than the
// frees that emptied it, and often it is wanted again.
void Pool::park_span(SizeClass& size_class, std::uint32_t span) noexcept {
  run_at(span).next = size_class.parked;
  size_class.parked = span;
  parked_slabs_ += slab_at(span).span_slabs;
  if (idle_slabs() > kIdleSlabs.low && idle_slabs() > idle_max()) release_parked();
}

std::uint32_t Pool::unpark_span(SizeClass& size_class) noexcept {
  const std::uint32_t span = size_class.parked;
  size_class.parked = run_at(span).next;
  parked_slabs_ -= slab_at(span).span_slabs;
  return span;
}

// Turns all parked spans into free slabs.
void Pool::release_parked() noexcept {
  for (std::uint32_t i = 1; i < class_count_; ++i) {
    while (classes_[i].parked != kNone) release_span(unpark_span(classes_[i]));
  }
}

// Turns an empty span that is in no list into free slabs.
void Pool::release_span(std::uint32_t span) noexcept {
  const Extent slabs{span, slab_at(span).span_slabs};
  for (std::uint32_t i = slabs.first; i < slabs.end(); ++i) slab_at(i).owner_code.store(0, relaxed);
  give_slabs(slabs);
}

}  // namespace myr::mem
