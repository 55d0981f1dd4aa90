// SPDX-License-Identifier: Apache-2.0
//
// Memory in blocks, as the dependence analysis of BDDT sees it (paper 3): an array is cut into
// blocks from its first byte on, and two tasks conflict where they use the same block, whether or
// not they use the same bytes of it. So tiles, which are many short runs of bytes, become few
// names, and what the analysis costs is chosen with the size of a block.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/contract.hpp"

namespace myr::deps {

// Some bytes of an array: `rows` runs of `bytes`, each `stride` behind the one before. A range is a
// tile of one row.
struct Tile {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t rows = 1;
  std::uint64_t stride = 0;  // at least `bytes`, if there are rows

  [[nodiscard]] std::uint64_t row(std::uint64_t index) const noexcept {
    return address + index * stride;
  }
  [[nodiscard]] std::uint64_t end() const noexcept { return row(rows - 1) + bytes; }
};

// An array with the size of its blocks; the last one may be shorter.
struct BlockedArray {
  // A line of most caches, and a slot of the heap. No two blocks share a line, so tasks on cores
  // whose caches are not coherent never write different bytes of one.
  static constexpr std::uint64_t kBlockMin = 64;

  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t block_bytes = kBlockMin;  // a power of two

  // The name of the block around a byte: its first byte.
  [[nodiscard]] std::uint64_t block_of(std::uint64_t address) const noexcept {
    return begin + ((address - begin) & ~(block_bytes - 1));
  }
};

[[nodiscard]] inline bool is_block_size(std::uint64_t bytes) noexcept {
  return bytes >= BlockedArray::kBlockMin && std::has_single_bit(bytes);
}

// Calls visit(block) for each block that the tile touches, once, in ascending order.
// REQUIRES: the tile lies in the array. Cost: the rows and the blocks.
template <class Visit>
void visit_blocks(const BlockedArray& array, const Tile& tile, Visit visit) {
  MYR_DCHECK(tile.bytes != 0 && tile.rows != 0 && (tile.rows == 1 || tile.stride >= tile.bytes));
  std::uint64_t next = 0;  // blocks below have been visited
  for (std::uint64_t i = 0; i < tile.rows; ++i) {
    const std::uint64_t last = array.block_of(tile.row(i) + tile.bytes - 1);
    std::uint64_t block = std::max(array.block_of(tile.row(i)), next);
    for (; block <= last; block += array.block_bytes) visit(block);
    next = block;
  }
}

// Do they have a byte in common? Cost: the rows of both.
[[nodiscard]] inline bool overlap(const Tile& a, const Tile& b) noexcept {
  std::uint64_t i = 0;
  std::uint64_t j = 0;
  while (i < a.rows && j < b.rows) {
    if (a.row(i) + a.bytes <= b.row(j)) {
      i += 1;
    } else if (b.row(j) + b.bytes <= a.row(i)) {
      j += 1;
    } else {
      return true;
    }
  }
  return false;
}

}  // namespace myr::deps
