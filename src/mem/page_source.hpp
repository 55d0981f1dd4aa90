// SPDX-License-Identifier: Apache-2.0
//
// The reserved address range, handed out in pages of 1 MB to depots and pools. Owns the watermarks:
// how many idle pages keep their memory, and how many free slabs a region may hold while addresses
// get scarce.
// Threads: any. One lock, taken about once a megabyte.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "base/result.hpp"
#include "mem/layout.hpp"
#include "mem/pages.hpp"
#include "mem/run_heap.hpp"
#include "sync/atomic.hpp"

namespace myr::mem {

class PageSource final : public Pages {
 public:
  // Reserves the heap's range and its tables, at most `bytes`, less when a limit asks for it.
  // Errors: the place is taken, or not even 1 GB (or `bytes`, if less) can be reserved.
  [[nodiscard]] base::Result<bool> start(std::size_t bytes);
  // Unmaps everything. REQUIRES: nobody uses memory of the heap any more.
  void stop() noexcept;

  [[nodiscard]] Extent take(std::uint32_t count) noexcept override;
  void give(Extent pages) noexcept override;
  // `count` pages side by side, or half of all, of which schedulers make parts usable when they
  // hand them out: to make 128 GB writable at once takes Valgrind long, as it looks at each byte.
  // Called once, before anything else.
  [[nodiscard]] Extent set_aside(std::uint32_t count) noexcept;
  // Again, too. False: out of memory. REQUIRES: they are set aside.
  [[nodiscard]] bool make_usable(Extent pages) noexcept;
  // What nobody has wanted since the last call goes to the system, except for a few pages. A call
  // less than 100 ms later does nothing: what a program needs in each of its steps shall stay.
  void trim(std::uint64_t now_ns) noexcept;
  // Reclaims from all depots of the heap.
  void reclaim() noexcept override;

  // High while more than half of the pages are free, then falling in proportion to what is left. It
  // rises again when pages come back.
  [[nodiscard]] std::uint32_t level(Watermark mark) const noexcept override {
    return std::max(mark.low, mark.high * ease_.load(sync::relaxed) / kFullEase);
  }

  [[nodiscard]] std::uint32_t page_count() const noexcept { return page_count_; }
  [[nodiscard]] std::uint32_t taken_count() const noexcept {
    return page_count_ - free_pages_.load(sync::relaxed);
  }
  // Idle pages that still have memory behind them.
  [[nodiscard]] std::uint32_t dirty_count() const noexcept;
  // Pages that have ever been handed out lie in these.
  [[nodiscard]] std::array<Extent, 2> used_extents() const noexcept;

 private:
  [[nodiscard]] static int reserve_all(std::size_t bytes) noexcept;
  [[nodiscard]] bool commit_up_to(std::uint32_t page) noexcept;
  using Commit = bool (*)(std::uintptr_t first, std::size_t bytes) noexcept;
  [[nodiscard]] static bool commit(Extent pages, Commit commit) noexcept;
  void launder_locked(std::uint32_t count) noexcept;
  void note_idle_locked() noexcept;
  void count_free_locked() noexcept;

  static constexpr std::uint32_t kFullEase = 1024;
  static constexpr std::uint32_t kDirtyHolder = 1;
  static constexpr std::uint32_t kCleanHolder = 2;

  mutable std::mutex mutex_;
  RunHeap dirty_{kPageRunTable, kDirtyHolder};  // idle, memory kept for the next taker
  RunHeap clean_{kPageRunTable, kCleanHolder};  // idle, without memory
  std::uint32_t page_count_ = 0;
  Extent aside_;                   // for schedulers
  std::uint32_t aside_used_ = 0;   // of these, from the first on: more were never usable
  Extent committed_;               // behind them: usable
  std::uint32_t dirty_least_ = 0;  // idle pages since the last trim()
  std::uint64_t trimmed_ns_ = 0;
  // Written under mutex_, read by any thread without it.
  sync::Atomic<std::uint32_t> free_pages_{0};
  sync::Atomic<std::uint32_t> ease_{kFullEase};  // how far watermarks stand from low (0) to high
};

}  // namespace myr::mem
