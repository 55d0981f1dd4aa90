// SPDX-License-Identifier: Apache-2.0
//
// Free runs of slabs (or of pages): hands out extents and joins what comes back with its free
// neighbours. Used by pools, by depots and by the page source, each over its own part of one shared
// side table. Takes the place of the free-range trie of the Myrmics allocator: boundary tags find
// the neighbours without a search.
// Threads: one at a time for each RunHeap; different ones at once, also side by side in the same
// table.
//
// Invariants
//   1. A free run's first and last table entries carry its holder and length; all others in it
//      carry holder 0.
//   2. The first entry is linked in the bin of the run's length.
#pragma once

#include <cstdint>

#include "mem/layout.hpp"

namespace myr::mem {

class RunHeap {
 public:
  // `holder` is not 0 and differs from that of every other RunHeap of the same table.
  RunHeap(std::uintptr_t table, std::uint32_t holder) noexcept
      : table_(reinterpret_cast<Run*>(table)), holder_(holder) {}

  // Adds an extent that is not free; returns the free run that it now belongs to. Cost: constant.
  Extent add(Extent extent) noexcept;

  // Takes `count` entries side by side, or an empty extent if no run is long enough.
  // Cost: constant up to 32, and above if there is a run of more than twice the length; else a walk
  // over those of at most that.
  [[nodiscard]] Extent take(std::uint32_t count) noexcept;

  // Takes one of the longest runs as it is; empty if there is none.
  [[nodiscard]] Extent take_longest() noexcept;

  // Takes `part` out of the free run `run`, which covers it.
  void cut(Extent run, Extent part) noexcept;

  // Lets go of all runs. Cost: one step a run.
  void forget() noexcept;

  [[nodiscard]] std::uint32_t free_count() const noexcept { return free_count_; }
  // nullptr, or what of the invariants does not hold. Cost: O(free entries).
  [[nodiscard]] const char* broken_invariant() const noexcept;

  // Calls visit(Extent) for every free run.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t bin = 0; bin < kBinCount; ++bin) {
      if (!is_in_use(bin)) continue;
      for (std::uint32_t i = heads_[bin]; i != kNone; i = table_[i].next) {
        visit(Extent{i, table_[i].length});
      }
    }
  }

 private:
  static constexpr std::uint32_t kExactBins = 32;
  static constexpr std::uint32_t kBinCount = 44;
  static constexpr std::uint32_t kLooksMax =
      16;  // at runs that are too short, if there are longer ones
  [[nodiscard]] bool is_in_use(std::uint32_t bin) const noexcept {
    return (bins_in_use_ >> bin & 1) != 0;
  }
  [[nodiscard]] static std::uint32_t bin_of(std::uint32_t length) noexcept;
  [[nodiscard]] const char* broken_invariant(Extent run) const noexcept;
  void link(Extent run) noexcept;
  void unlink(Extent run) noexcept;
  [[nodiscard]] Extent take_front(Extent run, std::uint32_t count) noexcept;

  Run* table_;
  std::uint32_t holder_;
  std::uint32_t free_count_ = 0;
  std::uint64_t bins_in_use_ = 0;   // bit i: heads_[i] is valid
  std::uint32_t heads_[kBinCount];  // deliberately not initialised: one is made per region
};

}  // namespace myr::mem
