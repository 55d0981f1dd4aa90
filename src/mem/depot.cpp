// SPDX-License-Identifier: Apache-2.0
#include "mem/depot.hpp"

#include <new>

#include "base/contract.hpp"

namespace myr::mem {
namespace {
constexpr std::uint32_t kIdleSlabsMax = 4 * kPageSlabs;  // a depot gives pages back above this
constexpr std::uint32_t kBlockSlabs = 8;                 // slabs cut into blocks at a time
}  // namespace

Depot::Depot(Pages& source, std::uint32_t index, std::uint32_t block_bytes) noexcept
    : source_(&source),
      block_bytes_(block_bytes),
      chunks_(kRunTable, 2 * index + 1),
      tables_(kRunTable, 2 * index + 2) {}

Extent Depot::take_locked(RunHeap& runs, std::uint32_t slab_count) noexcept {
  Extent slabs = runs.take(slab_count);
  if (slabs) return slabs;
  const Extent page = source_->take(1);
  if (!page) return {};
  runs.add(slabs_of_pages(page));
  return runs.take(slab_count);
}

void Depot::give_locked(RunHeap& runs, Extent slabs) noexcept {
  const Extent run = runs.add(slabs);
  if (runs.free_count() <= kIdleSlabsMax) return;
  const Extent pages = whole_pages(run);
  if (!pages) return;
  runs.cut(run, slabs_of_pages(pages));
  source_->give(pages);
}

bool Depot::refill_blocks_locked() noexcept {
  const Extent slabs = take_locked(tables_, kBlockSlabs);
  if (!slabs) return false;
  std::byte* const first = slab_address(slabs.first);
  std::size_t at = kBlockSlabs * kSlabBytes / block_bytes_ * block_bytes_;
  while (at > 0) {  // from the far end, so that blocks are handed out in ascending order
    at -= block_bytes_;
    free_blocks_ = ::new (first + at) FreeBlock{free_blocks_};
  }
  return true;
}

Depot::Opening Depot::open() noexcept {
  const std::lock_guard lock(mutex_);
  if (free_blocks_ == nullptr && !refill_blocks_locked()) return {};
  Extent chunk = take_locked(chunks_, source_->level(kFirstSlabs));
  if (!chunk) chunk = take_locked(chunks_, kFirstSlabs.low);
  if (!chunk) return {};
  FreeBlock* const block = free_blocks_;
  free_blocks_ = block->next;
  pool_count_ += 1;
  return {block, chunk};
}

void Depot::close(void* block, std::span<const Extent> chunks, std::uint64_t page_runs) noexcept {
  const std::lock_guard lock(mutex_);
  for (const Extent chunk : chunks) give_locked(chunks_, chunk);
  free_blocks_ = ::new (block) FreeBlock{free_blocks_};
  pool_count_ -= 1;
  closed_extents_ += chunks.size() + page_runs;
}

void Depot::leave() noexcept {
  const std::lock_guard lock(mutex_);
  pool_count_ -= 1;
}

void Depot::come() noexcept {
  const std::lock_guard lock(mutex_);
  pool_count_ += 1;
}

Extent Depot::take_chunk(std::uint32_t slab_count) noexcept {
  const std::lock_guard lock(mutex_);
  return take_locked(chunks_, slab_count);
}

void Depot::give_chunk(Extent chunk) noexcept {
  const std::lock_guard lock(mutex_);
  give_locked(chunks_, chunk);
}

Extent Depot::take_table(std::uint32_t slab_count) noexcept {
  const std::lock_guard lock(mutex_);
  return take_locked(tables_, slab_count);
}

void Depot::give_table(Extent slabs) noexcept {
  const std::lock_guard lock(mutex_);
  give_locked(tables_, slabs);
}

void Depot::trim_locked(RunHeap& runs) noexcept {
  // Cutting changes the lists that for_each() walks, so each turn looks for one run only.
  for (;;) {
    Extent found;
    runs.for_each([&found](Extent run) {
      if (whole_pages(run)) found = run;
    });
    if (!found) return;
    const Extent pages = whole_pages(found);
    runs.cut(found, slabs_of_pages(pages));
    source_->give(pages);
  }
}

void Depot::trim() noexcept {
  const std::lock_guard lock(mutex_);
  trim_locked(chunks_);
  trim_locked(tables_);
}

std::uint64_t Depot::pool_count() const noexcept {
  const std::lock_guard lock(mutex_);
  return pool_count_;
}

std::uint64_t Depot::closed_extents() const noexcept {
  const std::lock_guard lock(mutex_);
  return closed_extents_;
}

}  // namespace myr::mem
