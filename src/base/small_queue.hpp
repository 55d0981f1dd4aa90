// SPDX-License-Identifier: Apache-2.0
//
// SmallQueue: a list that is nearly always short and mostly shrinks at its front. Up to N elements
// lie in the queue itself, as in a SmallVector; and where thousands wait, taking the first does not
// move all the others up.
//
// Invariant: no more than half of the elements of the vector are gone, and none if it is empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/small_vector.hpp"

namespace myr::base {

template <class T, std::uint32_t N>
class SmallQueue {
 public:
  using iterator = T*;
  using const_iterator = const T*;

  [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return items_.size() - gone_; }
  [[nodiscard]] iterator begin() noexcept { return items_.begin() + gone_; }
  [[nodiscard]] iterator end() noexcept { return items_.end(); }
  [[nodiscard]] const_iterator begin() const noexcept { return items_.begin() + gone_; }
  [[nodiscard]] const_iterator end() const noexcept { return items_.end(); }
  [[nodiscard]] T& operator[](std::size_t index) noexcept { return begin()[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return begin()[index]; }
  [[nodiscard]] T& front() noexcept { return *begin(); }

  void push_back(T value) { items_.push_back(std::move(value)); }
  iterator insert(const_iterator place, T value) { return items_.insert(place, std::move(value)); }
  // Cost: of the front, constant on average; else O(elements behind it).
  void erase(const_iterator place) noexcept {
    if (place == begin()) {
      pop_front();
    } else {
      items_.erase(place);
      drop_gone();
    }
  }

 private:
  // What the front was is destroyed later.
  void pop_front() noexcept {
    gone_ += 1;
    drop_gone();
  }
  void drop_gone() noexcept {
    if (std::size_t{2} * gone_ <= items_.size()) return;
    items_.erase(items_.begin(), items_.begin() + gone_);
    gone_ = 0;
  }

  SmallVector<T, N> items_;
  std::uint32_t gone_ = 0;  // of items_, at its front
};

}  // namespace myr::base
