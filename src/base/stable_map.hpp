// SPDX-License-Identifier: Apache-2.0
//
// StableMap: values by a key of 64 bits. A value stays where it is until it is erased; memory is
// allocated for many at a time, and used again. So a map through which records of a short life pass
// costs an index lookup for each, and no allocation.
//
//   index   open addressing: cells of key and value, searched from the place that the key's product
//           with a constant gives; at most half of them are in use
//   blocks  room for kBlock values each; unused rooms are chained
//
// Not copied, not moved: nobody needs that.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/contract.hpp"

namespace myr::base {

template <class Value>
class StableMap {
 public:
  using Key = std::uint64_t;

  StableMap() = default;
  StableMap(const StableMap&) = delete;
  StableMap& operator=(const StableMap&) = delete;
  ~StableMap() {
    for (const Cell& cell : cells_) {
      if (cell.room != nullptr) std::destroy_at(&cell.room->value);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  // nullptr: there is none.
  [[nodiscard]] Value* find(Key key) const noexcept {
    if (size_ == 0) return nullptr;
    const Cell& cell = cells_[position_of(key)];
    return cell.room == nullptr ? nullptr : &cell.room->value;
  }
  [[nodiscard]] bool contains(Key key) const noexcept { return find(key) != nullptr; }
  // REQUIRES: contains(key).
  [[nodiscard]] Value& at(Key key) const noexcept {
    Value* const value = find(key);
    MYR_ASSERT(value != nullptr);
    return *value;
  }

  // The value, and whether it is new: made of the arguments.
  template <class... Arguments>
  std::pair<Value*, bool> try_emplace(Key key, Arguments&&... arguments) {
    if (2 * (size_ + 1) > cells_.size()) grow();
    Cell& cell = cells_[position_of(key)];
    if (cell.room != nullptr) return {&cell.room->value, false};
    cell = {.key = key, .room = take_room()};
    size_ += 1;
    return {std::construct_at(&cell.room->value, std::forward<Arguments>(arguments)...), true};
  }

  // False: there was none.
  bool erase(Key key) noexcept {
    if (size_ == 0) return false;
    const std::size_t position = position_of(key);
    if (cells_[position].room == nullptr) return false;
    erase_at(position);
    return true;
  }
  // Erases each value for which `is_to_go(key, value)`. Cost: O(size_max).
  template <class Predicate>
  void erase_if(Predicate&& is_to_go) {
    std::vector<Key> gone;
    for_each([&](Key key, Value& value) {
      if (is_to_go(key, value)) gone.push_back(key);
    });
    for (const Key key : gone) erase(key);
  }
  // In no order that means anything. Cost: O(size_max).
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Cell& cell : cells_) {
      if (cell.room != nullptr) visit(cell.key, cell.room->value);
    }
  }

 private:
  union Room {
    Room() noexcept {}
    ~Room() {}
    Value value;
    Room* next;  // unused
  };
  struct Cell {
    Key key = 0;
    Room* room = nullptr;
  };
  static constexpr std::size_t kBlock = 32;
  static constexpr std::size_t kCellsMin = 8;

  [[nodiscard]] std::size_t home_of(Key key) const noexcept {
    return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15ULL >> shift_);
  }
  [[nodiscard]] std::size_t after(std::size_t position) const noexcept {
    return (position + 1) & (cells_.size() - 1);
  }
  // Where the key is, or else where it would be put.
  [[nodiscard]] std::size_t position_of(Key key) const noexcept {
    std::size_t position = home_of(key);
    while (cells_[position].room != nullptr && cells_[position].key != key) {
      position = after(position);
    }
    return position;
  }

  void grow() {
    std::vector<Cell> old(cells_.empty() ? kCellsMin : 2 * cells_.size());
    old.swap(cells_);
    shift_ = 64 - static_cast<unsigned>(std::bit_width(cells_.size() - 1));
    for (const Cell& cell : old) {
      if (cell.room != nullptr) cells_[position_of(cell.key)] = cell;
    }
  }

  // Cells behind the gap that would not be found any more move into it.
  void erase_at(std::size_t gap) noexcept {
    Room* const room = cells_[gap].room;
    std::destroy_at(&room->value);
    room->next = unused_;
    unused_ = room;
    size_ -= 1;
    for (std::size_t next = after(gap); cells_[next].room != nullptr; next = after(next)) {
      const std::size_t mask = cells_.size() - 1;
      const std::size_t from_home = (next - home_of(cells_[next].key)) & mask;
      if (from_home < ((next - gap) & mask)) continue;
      cells_[gap] = cells_[next];
      gap = next;
    }
    cells_[gap].room = nullptr;
  }

  [[nodiscard]] Room* take_room() {
    if (unused_ == nullptr) {
      blocks_.push_back(std::make_unique<Room[]>(kBlock));
      for (std::size_t i = kBlock; i != 0; --i) {
        blocks_.back()[i - 1].next = unused_;
        unused_ = &blocks_.back()[i - 1];
      }
    }
    return std::exchange(unused_, unused_->next);
  }

  std::size_t size_ = 0;
  unsigned shift_ = 64;
  std::vector<Cell> cells_;  // a power of two, or none
  std::vector<std::unique_ptr<Room[]>> blocks_;
  Room* unused_ = nullptr;
};

}  // namespace myr::base
