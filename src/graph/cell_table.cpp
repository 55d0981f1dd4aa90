// SPDX-License-Identifier: Apache-2.0
#include "graph/cell_table.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace myr::graph {

namespace {
constexpr std::size_t kSlotsLeast = 8;
}

const Cell* CellTable::find(std::uint64_t address) const noexcept {
  if (slots_.empty()) return nullptr;
  const std::uint64_t page = address >> kPageBits;
  for (std::size_t slot = home(page); slots_[slot] != nullptr; slot = behind(slot)) {
    const Block& block = *slots_[slot];
    if (block.page != page) continue;
    const std::size_t index = cell_index(address);
    return block.epoch == epoch_ && block.is_begun(index) ? &block.cells[index] : nullptr;
  }
  return nullptr;
}

CellTable::Block& CellTable::block(std::uint64_t page) {
  if (slots_.empty()) grow();
  std::size_t slot = home(page);
  while (slots_[slot] != nullptr && slots_[slot]->page != page) slot = behind(slot);
  if (slots_[slot] == nullptr) {
    if (2 * (count_ + 1) > slots_.size()) {
      grow();
      return block(page);
    }
    slots_[slot] = std::make_unique<Block>(Block{page, epoch_, 0, {}});
    count_ += 1;
  }
  Block& found = *slots_[slot];
  if (found.epoch != epoch_) {
    found.epoch = epoch_;
    found.begun = 0;
  }
  return found;
}

// Makes room for twice as many blocks. Blocks stay for ever: they follow the heap's own pages,
// which are used again too, and are a quarter of their size.
void CellTable::grow() {
  std::vector<std::unique_ptr<Block>> old;
  old.swap(slots_);
  const std::size_t slots = std::max(kSlotsLeast, 2 * old.size());
  slots_.resize(slots);
  shift_ = 64U - static_cast<unsigned>(std::countr_zero(slots));
  count_ = 0;
  for (std::unique_ptr<Block>& block : old) {
    if (block != nullptr) insert(std::move(block));
  }
}

void CellTable::insert(std::unique_ptr<Block> block) noexcept {
  std::size_t slot = home(block->page);
  while (slots_[slot] != nullptr) slot = behind(slot);
  slots_[slot] = std::move(block);
  count_ += 1;
}

void CellTable::trim(std::size_t blocks_max) {
  clear();
  if (count_ > blocks_max) {
    slots_.clear();
    count_ = 0;
    shift_ = 64;
  }
}

}  // namespace myr::graph
