// SPDX-License-Identifier: Apache-2.0
//
// CellTable: for each heap object that was accessed whole, its users. Objects are 64-byte slots,
// so an object is a cell in a block for its 4 KB page; blocks are found by hash, and neighbouring
// objects share cache lines. clear() is O(1): blocks of an older epoch count as empty, and a block
// that is used again begins without touching its cells. Each is emptied when it is first used.
//
// Threads: one writer; find() by any thread while nobody writes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "graph/users.hpp"

namespace myr::graph {

using Cell = Users;

class CellTable {
 public:
  static constexpr std::uint64_t kCellBytes = 64;  // addresses that share a cell

 private:
  static constexpr unsigned kPageBits = 12;
  static constexpr unsigned kSlotBits = std::countr_zero(kCellBytes);
  static constexpr std::size_t kCellsPerBlock = 1 << (kPageBits - kSlotBits);

  struct Block {
    std::uint64_t page;
    std::uint64_t epoch;
    std::uint64_t begun;  // a bit a cell: was it used in this epoch?
    std::array<Cell, kCellsPerBlock> cells;

    [[nodiscard]] bool is_begun(std::size_t index) const noexcept {
      return ((begun >> index) & 1) != 0;
    }
    void begin(std::size_t index) noexcept {
      begun |= std::uint64_t{1} << index;
      cells[index].writer = {};
      cells[index].group.clear();
    }
  };
  static_assert(kCellsPerBlock == 64, "a bit a cell");

 public:
  // The cells of one page. Valid until the next call of page().
  class Page {
   public:
    Page() noexcept = default;  // none
    [[nodiscard]] bool is_there() const noexcept { return block_ != nullptr; }
    // REQUIRES: the address is in the page.
    [[nodiscard]] Cell& at(std::uint64_t address) const noexcept {
      const std::size_t index = cell_index(address);
      if (MYR_UNLIKELY(!block_->is_begun(index))) block_->begin(index);
      return block_->cells[index];
    }

   private:
    friend CellTable;
    explicit Page(Block* block) noexcept : block_(block) {}
    Block* block_ = nullptr;
  };
  // The page around an address, made if need be.
  [[nodiscard]] Page page(std::uint64_t address) {
    const std::uint64_t page = address >> kPageBits;
    if (MYR_UNLIKELY(last_ == nullptr || last_->page != page)) last_ = &block(page);
    return Page(last_);
  }
  // The cell if it was touched since clear(), else nullptr.
  [[nodiscard]] const Cell* find(std::uint64_t address) const noexcept;
  [[nodiscard]] Cell* find(std::uint64_t address) noexcept {
    return const_cast<Cell*>(std::as_const(*this).find(address));
  }

  void clear() noexcept {
    epoch_ += 1;
    last_ = nullptr;
  }
  // Gives back memory beyond `blocks_max` blocks; for tables that are kept for reuse.
  void trim(std::size_t blocks_max);

 private:
  [[nodiscard]] static std::size_t cell_index(std::uint64_t address) noexcept {
    return (address >> kSlotBits) % kCellsPerBlock;
  }
  [[nodiscard]] std::size_t home(std::uint64_t page) const noexcept {
    return (page * 0x9E3779B97F4A7C15ULL) >> shift_;
  }
  [[nodiscard]] std::size_t behind(std::size_t slot) const noexcept {
    return (slot + 1) & (slots_.size() - 1);
  }
  [[nodiscard]] Block& block(std::uint64_t page);
  void grow();
  void insert(std::unique_ptr<Block> block) noexcept;

  Block* last_ = nullptr;
  std::uint64_t epoch_ = 1;
  std::vector<std::unique_ptr<Block>> slots_;  // a power of two; open addressing, at most half full
  std::size_t count_ = 0;
  unsigned shift_ = 64;
};

}  // namespace myr::graph
