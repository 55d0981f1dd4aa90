// SPDX-License-Identifier: Apache-2.0
//
// The bounded queue of one worker's ready tasks. The owner pushes and pops at the tail (newest
// first); any thread takes from the head (oldest first) or picks one from the middle.
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
// included. Items must stay readable after they were taken (type-stable memory) for take_if()
// alone.
//
// Invariants
//   1. Every item lies at a position in [head, tail); only the owner changes these two.
//   2. tail - head <= kCapacity, so each position has a cell of its own.
//   3. The owner fills a cell only when it is empty. Others only empty cells.
//   4. thief_hint_ may be any number: it decides where a search starts, not where it ends.
#pragma once

#include <cstdint>

#include "base/bits.hpp"
#include "base/contract.hpp"
#include "sync/atomic.hpp"

namespace myr::sync {

template <class T, std::uint32_t kCapacity>
class WorkRing {
  static_assert(kCapacity >= 2 && (kCapacity & (kCapacity - 1)) == 0, "a power of two");

 public:
  // What take_if() found. `item` is nullptr: nothing fits. `fits` is false: the item changed
  // between the look and the claim; it is now the caller's, who must run it or push it into a ring
  // again.
  struct Pick {
    T* item;
    bool fits;
  };

  // Appends. False: full. Owner only.
  // Order: who takes the item sees what the owner wrote before [ring.item].
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

  // Takes the oldest item for which keep(item) holds. Any thread.
  // `keep` is called before the claim, when another thread may own the item, so it reads atomics
  // only, and once more after it. Order: as thief_take(), for the call after the claim.
  template <class Keep>
  [[nodiscard]] Pick take_if(Keep keep) noexcept {
    const Range range = visible();
    for (std::uint32_t i = 0; i < range.count; ++i) {
      T* item = claim_if(cell_at(range.first + i), keep);
      if (item != nullptr) return {item, keep(item)};
    }
    return {nullptr, false};
  }

  // The same from the newest to the oldest. Owner only. It drops empty cells at the end: otherwise
  // a worker that only takes this way, as it does while tasks wait inside each other, would fill
  // the ring with empty cells and search them all each time.
  template <class Keep>
  [[nodiscard]] Pick owner_take_if(Keep keep) noexcept {
    const std::uint32_t head = owner_.head.load(relaxed);
    bool at_end = true;
    for (std::uint32_t i = owner_.tail.load(relaxed); i != head; --i) {
      Cell& cell = cell_at(i - 1);
      T* item = claim_if(cell, keep);
      at_end = at_end && cell.load(relaxed) == nullptr;
      if (at_end) owner_.tail.store(i - 1, relaxed);
      if (item != nullptr) return {item, keep(item)};
    }
    return {nullptr, false};
  }

  // Not less than the number of items at some recent moment; taken ones may still be counted. Any
  // thread.
  [[nodiscard]] std::uint32_t size_hint() const noexcept { return visible().count; }

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

  template <class Keep>
  [[nodiscard]] static T* claim_if(Cell& cell, Keep keep) noexcept {
    T* item = cell.load(acquire);  // [ring.item] keep() may read the item's atomics
    if (item == nullptr || !keep(item)) return nullptr;
    // [ring.item] It may be a later push of the same item.
    return cell.compare_exchange_strong(item, nullptr, acquire, relaxed) ? item : nullptr;
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
