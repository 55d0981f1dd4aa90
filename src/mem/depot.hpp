// SPDX-License-Identifier: Apache-2.0
//
// Cuts pages into chunks of slabs for small pools, and into blocks for the metadata of pools, on
// pages of their own. A process has a few depots; each thread opens its pools at one of them, and
// what a pool took from its depot goes back there, so that chunks join again and threads seldom
// meet at a lock. A scheduler of a tree machine has a depot of its own, on pages of its own.
// Threads: any, under the depot's lock.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>

#include "mem/layout.hpp"
#include "mem/pages.hpp"
#include "mem/run_heap.hpp"

namespace myr::mem {

class alignas(64) Depot {
 public:
  // `index` is below kDepotsMax and differs from that of every other depot.
  Depot(Pages& source, std::uint32_t index, std::uint32_t block_bytes) noexcept;

  // What a new pool starts with.
  struct Opening {
    void* block = nullptr;  // for the pool itself; nullptr: no memory
    Extent chunk;
  };
  [[nodiscard]] Opening open() noexcept;
  // Takes back a block and the chunks that were given with and after it. `page_runs`: how many runs
  // of pages the pool gave to the source before, for the statistics.
  void close(void* block, std::span<const Extent> chunks, std::uint64_t page_runs) noexcept;

  // One chunk of `slab_count` slabs, at most a page's worth; empty: no memory.
  [[nodiscard]] Extent take_chunk(std::uint32_t slab_count) noexcept;
  void give_chunk(Extent chunk) noexcept;

  // A pool goes to another process with the same heap, with its block, or has come from one.
  void leave() noexcept;
  void come() noexcept;

  // Slabs for metadata that outgrew a block.
  [[nodiscard]] Extent take_table(std::uint32_t slab_count) noexcept;
  void give_table(Extent slabs) noexcept;

  // Gives all idle pages back to the source.
  void trim() noexcept;

  [[nodiscard]] Pages& source() const noexcept { return *source_; }
  [[nodiscard]] std::uint64_t pool_count() const noexcept;
  // Chunks and pages that closed pools have given back, ever.
  [[nodiscard]] std::uint64_t closed_extents() const noexcept;

  // The lowest holder id (of RunHeap) that is free for pools. Each depot has two; a pool has the
  // number of the granule where it lies, behind page 0.
  static constexpr std::uint32_t kDepotsMax = 4096;
  static constexpr std::uint32_t kHoldersEnd = 2 * kDepotsMax + 1;
  static_assert(kHoldersEnd <= kPageGranules);

 private:
  struct FreeBlock {
    FreeBlock* next;
  };
  [[nodiscard]] Extent take_locked(RunHeap& runs, std::uint32_t slab_count) noexcept;
  void give_locked(RunHeap& runs, Extent slabs) noexcept;
  [[nodiscard]] bool refill_blocks_locked() noexcept;
  void trim_locked(RunHeap& runs) noexcept;

  Pages* source_;
  std::uint32_t block_bytes_;
  mutable std::mutex mutex_;
  RunHeap chunks_;  // free slabs for pools
  RunHeap tables_;  // free slabs for metadata
  FreeBlock* free_blocks_ = nullptr;
  std::uint64_t pool_count_ = 0;
  std::uint64_t closed_extents_ = 0;
};

}  // namespace myr::mem
