// SPDX-License-Identifier: Apache-2.0
//
// RefSet: a set of task references in one word while it holds at most one, else a vector on the heap. Used
// for the readers of a piece of memory and for what was spawned inside a region. Tasks that are complete
// are dropped whenever the vector would grow, so its size follows the number of live tasks.
//
// Threads: one writer; readers only while nobody writes (a frozen domain).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

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
  RefSet(const RefSet& other) : word_(other.word_) {
    if (other.is_vector()) word_ = to_word(new std::vector<TaskRef>(*other.vector()));
  }
  RefSet& operator=(const RefSet&) = delete;
  ~RefSet() { clear(); }

  [[nodiscard]] bool empty() const noexcept { return word_ == 0; }

  // Adds a task; the same task twice in a row counts once.
  void add(TaskRef ref) {
    if (word_ == 0) {
      word_ = ref.bits;
    } else if (is_vector()) {
      if (vector()->back() != ref) append(ref);
    } else if (word_ != ref.bits) {
      grow(ref);
    }
  }

  void clear() noexcept {
    if (is_vector()) delete vector();
    word_ = 0;
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    if (word_ == 0) return;
    if (!is_vector()) {
      visit(TaskRef{word_});
      return;
    }
    for (const TaskRef ref : *vector()) visit(ref);
  }

  // True if some task in the set is not complete.
  [[nodiscard]] bool any_live() const noexcept {
    bool live = false;
    for_each([&](TaskRef ref) { live = live || !TaskArena::is_complete(ref); });
    return live;
  }

 private:
  // References have their low two bits clear (tasks are 64-byte aligned), so bit 0 marks a pointer.
  static constexpr std::uint64_t kVector = 1;

  [[nodiscard]] bool is_vector() const noexcept { return (word_ & kVector) != 0; }
  [[nodiscard]] std::vector<TaskRef>* vector() const noexcept {
    return reinterpret_cast<std::vector<TaskRef>*>(word_ & ~kVector);
  }
  static std::uint64_t to_word(const std::vector<TaskRef>* vector) noexcept {
    return reinterpret_cast<std::uint64_t>(vector) | kVector;
  }
  void grow(TaskRef ref);
  void append(TaskRef ref);

  std::uint64_t word_ = 0;
};

}  // namespace myr::graph
