// SPDX-License-Identifier: Apache-2.0
//
// RefSet: a set of task references in one word while it holds at most one, else a list on the heap.
// Used for the readers of a piece of memory, or others that run in any order, and for what was
// spawned inside a region. Tasks that are complete are dropped whenever the list would grow, so its
// size follows the number of live tasks.
//
// Threads: one writer; readers only while nobody writes (a frozen domain).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "graph/target.hpp"
#include "graph/task_arena.hpp"
#include "graph/task_ref.hpp"

namespace myr::graph {

class RefSet {
 public:
  RefSet() noexcept = default;
  RefSet(RefSet&& other) noexcept : word_(std::exchange(other.word_, 0)) {}
  RefSet& operator=(RefSet&& other) noexcept {
    std::swap(word_, other.word_);
    return *this;
  }
  RefSet(const RefSet& other);
  RefSet& operator=(const RefSet&) = delete;
  ~RefSet() { clear(); }

  [[nodiscard]] bool empty() const noexcept { return word_ == 0; }
  // More than a handful: worth a task that waits for all of them.
  [[nodiscard]] bool is_many() const noexcept { return is_list() && list()->count >= kMany; }
  [[nodiscard]] bool contains(TaskRef ref) const noexcept {
    bool found = false;
    for_each([&](TaskRef member) { found = found || member == ref; });
    return found;
  }

  [[nodiscard]] bool is_one() const noexcept {
    return word_ != 0 && (!is_list() || list()->count == 1);
  }
  // The group of those in it: None for readers.
  [[nodiscard]] Group group() const noexcept {
    return MYR_UNLIKELY(is_list()) ? list()->group : Group::None;
  }
  // Adds a task to a set of that group, or an empty one.
  void add_to_group(TaskRef ref, Group group);

  // Adds a task; the same task twice in a row counts once.
  void add(TaskRef ref) {
    if (word_ == 0) {
      word_ = ref.bits;
    } else if (is_list()) {
      List& refs = *list();
      if (refs.items[refs.count - 1] == ref) return;
      if (MYR_UNLIKELY(refs.count == refs.capacity)) {
        grow(ref);
      } else {
        refs.items[refs.count++] = ref;
      }
    } else if (word_ != ref.bits) {
      grow(ref);
    }
  }

  void clear() noexcept {
    if (MYR_UNLIKELY(is_list())) free_list();
    word_ = 0;
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    if (word_ == 0) return;
    if (!is_list()) {
      visit(TaskRef{word_});
      return;
    }
    const List& refs = *list();
    for (std::uint32_t i = 0; i < refs.count; ++i) visit(refs.items[i]);
  }

  [[nodiscard]] std::vector<TaskRef> all() const {
    std::vector<TaskRef> refs;
    for_each([&](TaskRef ref) { refs.push_back(ref); });
    return refs;
  }

  // True if some task in the set is not complete.
  [[nodiscard]] bool any_live() const noexcept {
    bool live = false;
    for_each([&](TaskRef ref) { live = live || !TaskArena::is_complete(ref); });
    return live;
  }

 private:
  // References have their low two bits clear (tasks are 64-byte aligned), so bit 0 marks a pointer.
  static constexpr std::uint64_t kList = 1;

  static constexpr std::uint32_t kListLeast = 8;
  static constexpr std::uint32_t kMany = 8;

  struct List {
    std::uint32_t count;  // at least 1
    std::uint32_t capacity;
    Group group;
    TaskRef items[1];  // `capacity` of them
  };

  [[nodiscard]] bool is_list() const noexcept { return (word_ & kList) != 0; }
  [[nodiscard]] List* list() const noexcept { return reinterpret_cast<List*>(word_ & ~kList); }
  static List* allocate_list(std::size_t capacity, Group group);
  MYR_COLD void grow(TaskRef ref);
  MYR_COLD void free_list() noexcept;

  std::uint64_t word_ = 0;
};

}  // namespace myr::graph
