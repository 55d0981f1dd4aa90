// SPDX-License-Identifier: Apache-2.0
//
// The bounded queue of one worker's ready tasks. The owner pushes and pops at the tail (newest
// first); any thread takes from the head (oldest first).
//
//   position      head                        tail
//   cell        |  -   a   b   -   c   d   e  |  -   -  ...      - : empty (never filled, or taken)
//                      ^hint
//
// Each cell is claimed on its own, by a compare-and-swap from the item to nullptr. So no two
// threads get the same item whatever they believe about head and tail, which only say where to
// look.
//
// Threads: the owner_ functions by one thread at a time; the others by any thread, the owner
// included.
//
// Invariants
//   1. Every item lies at a position in [head, tail); only the owner changes these two.
//   2. tail - head <= kCapacity, so each position has a cell of its own.
//   3. The owner fills a cell only when it is empty. Others only empty cells.
//   4. thief_hint_ may be any number: it decides where a search starts, not where it ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/bits.hpp"
#include "base/contract.hpp"
#include "sync/atomic.hpp"

namespace myr::sync {

template <class T, std::uint32_t kCapacity>
class WorkRing {
  static_assert(kCapacity >= 2 && (kCapacity & (kCapacity - 1)) == 0, "a power of two");

 public:
  // Appends. False: full. Owner only.
  // Order: a thread that takes the item sees what the owner wrote before [ring.item].
  // Cost: two plain stores; no fence, no locked instruction.
  [[nodiscard]] bool owner_push(T* item) noexcept {
    const std::uint32_t tail = owner_.tail.load(relaxed);
    Cell& cell = cell_at(tail);
    if (MYR_UNLIKELY(cell.load(relaxed) != nullptr)) return false;
    if (tail - owner_.head.load(relaxed) == kCapacity) {
      // The cell of the oldest position is empty, as it is the one to be filled now.
      owner_.head.store(tail - kCapacity + 1, relaxed);
    }
    cell.store(item, release);  // [ring.item]
    owner_.tail.store(tail + 1, relaxed);
    return true;
  }

  // Takes the newest item; nullptr: empty. Owner only.
  // Cost: one locked instruction, none if the ring is known to be empty.
  [[nodiscard]] T* owner_pop() noexcept {
    std::uint32_t tail = owner_.tail.load(relaxed);
    const std::uint32_t head = owner_.head.load(relaxed);
    if (tail == head) return nullptr;
    T* item = nullptr;
    do {
      Cell& cell = cell_at(--tail);
      item = cell.load(relaxed);
      // Relaxed: the owner itself wrote what the item points to.
      if (item != nullptr && cell.compare_exchange_strong(item, nullptr, relaxed, relaxed)) break;
      item = nullptr;
    } while (tail != head);
    owner_.tail.store(tail, relaxed);
    return item;
  }

  // Takes the oldest item, or nearly so; nullptr: nothing found. Any thread.
  // Order: what was written before the item was pushed is visible [ring.item].
  [[nodiscard]] T* thief_take() noexcept {
    T* item = nullptr;
    thief_take_some(&item, 1);
    return item;
  }

  // Takes up to `max` of the oldest items, at most half of what is there (one of one). Any thread.
  // Returns how many it wrote to `out`. Order: as thief_take().
  unsigned thief_take_some(T** out, unsigned max) noexcept {
    const Range range = visible();
    std::uint32_t start = thief_.hint.load(relaxed);
    if (start - range.first >= range.count) start = range.first;
    const unsigned taken = take_range(start, range.first + range.count, out, max);
    if (taken != 0) return taken;
    return take_range(range.first, start, out, max);
  }

  // Takes the first item at or behind a place, counted from the oldest, or one before it. Any
  // thread.
  // Order: as thief_take().
  [[nodiscard]] T* thief_take_at(std::uint32_t place) noexcept {
    const Range range = visible();
    if (range.count == 0) return nullptr;
    const std::uint32_t start = range.first + place % range.count;
    T* item = nullptr;
    if (take_range(start, range.first + range.count, &item, 1) == 0) {
      take_range(range.first, start, &item, 1);
    }
    return item;
  }

  // Not less than the number of items at some recent moment; taken ones may still be counted. Any
  // thread.
  [[nodiscard]] std::uint32_t size_hint() const noexcept { return visible().count; }
  // Is there no item, wherever head and tail are? While nobody changes it. Cost: O(kCapacity).
  [[nodiscard]] bool is_empty() const noexcept {
    return std::all_of(std::begin(cells_), std::end(cells_),
                       [](const Cell& cell) { return cell.load(relaxed) == nullptr; });
  }

 private:
  using Cell = Atomic<T*>;  // owner fills, all empty [ring.item]

  struct Range {
    std::uint32_t first;
    std::uint32_t count;
  };

  [[nodiscard]] Cell& cell_at(std::uint32_t position) noexcept {
    return cells_[position & (kCapacity - 1)];
  }

  // The positions to search. An item that stays in the ring during the search is among them, if its
  // push happened before.
  [[nodiscard]] Range visible() const noexcept {
    const std::uint32_t tail = owner_.tail.load(relaxed);
    const std::uint32_t head = owner_.head.load(relaxed);
    const auto count = static_cast<std::int32_t>(tail - head);
    if (count <= 0) return {tail, 0};  // the owner went on between the two loads
    if (count > static_cast<std::int32_t>(kCapacity)) return {tail - kCapacity, kCapacity};
    return {head, static_cast<std::uint32_t>(count)};
  }

  unsigned take_range(std::uint32_t first, std::uint32_t end, T** out, unsigned max) noexcept {
    unsigned taken = 0;
    std::uint32_t position = first;
    for (; position != end && taken < max; ++position) {
      Cell& cell = cell_at(position);
      T* item = cell.load(relaxed);
      if (item == nullptr) continue;
      if (taken == 0) {
        const std::uint32_t half = (end - position + 1) / 2;
        if (half < max) max = half;
      }
      // [ring.item] What the owner wrote before the push is visible.
      if (cell.compare_exchange_strong(item, nullptr, acquire, relaxed)) out[taken++] = item;
    }
    if (taken != 0) thief_.hint.store(position, relaxed);
    return taken;
  }

  struct alignas(base::kCacheLine) OwnerPart {
    Atomic<std::uint32_t> tail{0};  // written by the owner, read by all
    Atomic<std::uint32_t> head{0};  // written by the owner, read by all; never above an item
  };
  struct alignas(base::kCacheLine) ThiefPart {
    Atomic<std::uint32_t> hint{
        0};  // written and read by all; behind it the oldest items are likely
  };
#ifndef MYR_MODEL
  static_assert(sizeof(OwnerPart) == base::kCacheLine && sizeof(ThiefPart) == base::kCacheLine);
#endif

  OwnerPart owner_;
  ThiefPart thief_;
  alignas(base::kCacheLine) Cell cells_[kCapacity] = {};
};

}  // namespace myr::sync
