// SPDX-License-Identifier: Apache-2.0
//
// Ring: a queue in one piece of memory, which grows and is kept; an empty one has none. std::deque
// allocates when it is made, and again and again while elements pass through it.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace myr::base {

template <class T>
class Ring {
 public:
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // From the front. REQUIRES: index < size().
  [[nodiscard]] T& operator[](std::size_t index) noexcept { return places_[place_of(index)]; }
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept {
    return places_[place_of(index)];
  }
  [[nodiscard]] T& front() noexcept { return (*this)[0]; }
  [[nodiscard]] const T& front() const noexcept { return (*this)[0]; }

  void push_back(T value) { push_back() = std::move(value); }
  // One with any value, which the caller sets.
  [[nodiscard]] T& push_back() {
    if (size_ == places_.size()) grow();
    size_ += 1;
    return places_[place_of(size_ - 1)];
  }
  // What the front was is destroyed when its place is used again.
  void pop_front() noexcept {
    first_ = place_of(1);
    size_ -= 1;
  }
  // Cost: O(elements behind it).
  void erase(std::size_t index) {
    for (; index + 1 < size_; ++index) (*this)[index] = std::move((*this)[index + 1]);
    size_ -= 1;
  }

 private:
  static constexpr std::size_t kPlacesMin = 2;

  [[nodiscard]] std::size_t place_of(std::size_t index) const noexcept {
    return (first_ + index) & (places_.size() - 1);
  }
  void grow() {
    std::vector<T> moved(places_.empty() ? kPlacesMin : 2 * places_.size());
    for (std::size_t i = 0; i < size_; ++i) moved[i] = std::move((*this)[i]);
    places_ = std::move(moved);
    first_ = 0;
  }

  std::vector<T> places_;  // a power of two, or none
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace myr::base
