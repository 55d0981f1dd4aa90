// SPDX-License-Identifier: Apache-2.0
//
// SmallVector: like std::vector, but up to N elements lie in the vector itself. For lists that are
// nearly always short, and are made and passed on for each task: no memory is allocated for them,
// and passing one on copies a few words.
//
// Invariant: capacity_ == N while the elements lie in the vector itself, and more otherwise.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

namespace myr::base {

template <class T, std::uint32_t N>
class SmallVector {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() noexcept {
    if constexpr (kIsCopiedWhole) std::memset(inside_, 0, sizeof inside_);
  }
  SmallVector(std::initializer_list<T> values) : SmallVector() {
    append(values.begin(), values.end());
  }
  SmallVector(const SmallVector& other) {
    if (kIsCopiedWhole && other.is_inside()) {
      std::memcpy(inside_, other.inside_, sizeof inside_);
      size_ = other.size_;
    } else {
      append(other.begin(), other.end());
    }
  }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) {
      clear();
      append(other.begin(), other.end());
    }
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      drop();
      take(other);
    }
    return *this;
  }
  ~SmallVector() { drop(); }

  [[nodiscard]] T* data() noexcept { return is_inside() ? inside() : outside_; }
  [[nodiscard]] const T* data() const noexcept { return is_inside() ? inside() : outside_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] iterator begin() noexcept { return data(); }
  [[nodiscard]] iterator end() noexcept { return data() + size_; }
  [[nodiscard]] const_iterator begin() const noexcept { return data(); }
  [[nodiscard]] const_iterator end() const noexcept { return data() + size_; }
  [[nodiscard]] T& operator[](std::size_t index) noexcept { return data()[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return data()[index]; }
  [[nodiscard]] T& front() noexcept { return *begin(); }
  [[nodiscard]] const T& front() const noexcept { return *begin(); }
  [[nodiscard]] T& back() noexcept { return *(end() - 1); }
  [[nodiscard]] const T& back() const noexcept { return *(end() - 1); }

  void reserve(std::size_t count) {
    if (count > capacity_) grow(count);
  }
  void clear() noexcept {
    std::destroy(begin(), end());
    size_ = 0;
  }
  // By value: it may be an element of this vector.
  void push_back(T value) {
    reserve(size_ + std::size_t{1});
    std::construct_at(end(), std::move(value));
    size_ += 1;
  }
  void pop_back() noexcept {
    size_ -= 1;
    std::destroy_at(end());
  }
  // REQUIRES: the range is not in this vector.
  void append(const T* first, const T* last) {
    const auto count = static_cast<std::size_t>(last - first);
    reserve(size_ + count);
    std::uninitialized_copy(first, last, end());
    size_ += static_cast<std::uint32_t>(count);
  }
  iterator insert(const_iterator place, T value) {
    const std::ptrdiff_t index = place - begin();
    push_back(std::move(value));
    T* const inserted = begin() + index;
    for (T* at = end() - 1; at != inserted; --at) std::swap(*at, *(at - 1));
    return inserted;
  }
  iterator erase(const_iterator first, const_iterator last) noexcept {
    const auto begin_erased = begin() + (first - begin());
    const auto end_erased = begin() + (last - begin());
    const auto end_kept = std::move(end_erased, end(), begin_erased);
    std::destroy(end_kept, end());
    size_ = static_cast<std::uint32_t>(end_kept - begin());
    return begin_erased;
  }
  iterator erase(const_iterator place) noexcept { return erase(place, place + 1); }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend auto operator<=>(const SmallVector& a, const SmallVector& b) {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  // Copying all places, used or not, is faster than finding out how many are.
  static constexpr bool kIsCopiedWhole = std::is_trivially_copyable_v<T>;

  [[nodiscard]] bool is_inside() const noexcept { return capacity_ == N; }
  [[nodiscard]] T* inside() noexcept { return reinterpret_cast<T*>(inside_); }
  [[nodiscard]] const T* inside() const noexcept { return reinterpret_cast<const T*>(inside_); }

  void grow(std::size_t count) {
    const std::size_t capacity = std::max<std::size_t>(count, std::size_t{2} * capacity_);
    T* const moved = std::allocator<T>().allocate(capacity);
    std::uninitialized_move(begin(), end(), moved);
    const std::uint32_t size = size_;
    drop();
    outside_ = moved;
    size_ = size;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  // Leaves nothing that would have to be destroyed.
  void drop() noexcept {
    clear();
    if (!is_inside()) std::allocator<T>().deallocate(outside_, capacity_);
    capacity_ = N;
  }
  // REQUIRES: drop() has been called, or nothing yet.
  void take(SmallVector& other) noexcept {
    if (kIsCopiedWhole || !other.is_inside()) {
      std::memcpy(inside_, other.inside_, sizeof inside_);  // or the pointer
    } else {
      std::uninitialized_move(other.begin(), other.end(), inside());
      std::destroy(other.begin(), other.end());
    }
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, N);
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
  union {
    T* outside_;
    alignas(T) std::byte inside_[std::max(N * sizeof(T), sizeof(T*))];
  };
};

}  // namespace myr::base
