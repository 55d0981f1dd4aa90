// SPDX-License-Identifier: Apache-2.0
//
// A cache with sets and lines, of which each has the bytes that it would have on the chip: nobody
// tells it when memory changes. Least recently used lines give way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/sim/scc/chip.hpp"

namespace myr::transport::sim::scc {

class Cache {
 public:
  struct Line {
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};
    std::uint64_t address = kNone;  // of its first byte
    std::uint64_t used = 0;         // when last
    std::uint32_t known = 0;        // bit i: byte i is here
    std::uint32_t dirty = 0;        // bit i: and has not been written back
    std::array<std::byte, kLineBytes> bytes{};
  };

  explicit Cache(std::size_t bytes) : sets_(bytes / kLineBytes / kWays), lines_(sets_ * kWays) {}

  // nullptr: it is not here.
  [[nodiscard]] Line* find(std::uint64_t address) noexcept {
    Line* const set = set_of(address);
    for (unsigned way = 0; way < kWays; ++way) {
      if (set[way].address != address) continue;
      set[way].used = ++clock_;
      return &set[way];
    }
    return nullptr;
  }
  // The line that gives way to this one, for the caller to look at; then put() it.
  [[nodiscard]] Line& victim(std::uint64_t address) noexcept {
    Line* const set = set_of(address);
    Line* oldest = set;
    for (unsigned way = 1; way < kWays; ++way) {
      if (set[way].used < oldest->used) oldest = &set[way];
    }
    return *oldest;
  }
  void put(Line& place, std::uint64_t address) noexcept {
    if (place.address == Line::kNone) count_ += 1;
    place = {.address = address, .used = ++clock_};
  }
  // Nothing is here any more, and nothing is written back.
  void invalidate() noexcept {
    if (count_ == 0) return;
    for (Line& line : lines_) line = {};
    count_ = 0;
  }
  [[nodiscard]] bool is_empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::size_t line_count() const noexcept { return lines_.size(); }
  template <class Visit>
  void for_each(Visit visit) {
    for (Line& line : lines_) {
      if (line.address != Line::kNone) visit(line);
    }
  }

 private:
  [[nodiscard]] Line* set_of(std::uint64_t address) noexcept {
    return &lines_[address / kLineBytes % sets_ * kWays];
  }

  std::size_t sets_;
  std::vector<Line> lines_;
  std::uint64_t clock_ = 0;
  std::size_t count_ = 0;
};

}  // namespace myr::transport::sim::scc
