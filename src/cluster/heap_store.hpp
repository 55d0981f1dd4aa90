// SPDX-License-Identifier: Apache-2.0
//
// HeapStore: the memory of one scheduler's regions where there are real bytes: a pool for each
// region, on pages that schedulers trade. All stores of a process lie in its one heap, but no two
// share a depot, a page or a lock, and what one owns the others do not find.
// Threads: one at a time for each store. The workers' accesses to objects are no business of it.
#pragma once

#include <cstdint>

#include "base/stable_map.hpp"
#include "mem/depot.hpp"
#include "mem/heap.hpp"
#include "sched/environment.hpp"

namespace myr::cluster {

// What the regions of a machine of agents share, in pages of 1 MB: addresses; memory arrives when
// it is touched.
inline constexpr std::uint32_t kSharedPages = mem::kPagesMax / 2;

class HeapStore final : public sched::Store, private mem::Pages {
 public:
  // A process has room for the depots of so many.
  static constexpr std::uint32_t kCountMax = mem::Depot::kDepotsMax - mem::Heap::kDepotCount;

  // `index`: below kCountMax, another one for each store. REQUIRES: the heap exists, until the end.
  explicit HeapStore(std::uint32_t index);

  // What the top of a tree is to start with: taken from the heap's pages, never given back. Fewer
  // pages than asked for, or none, if memory is short.
  [[nodiscard]] static proto::PageRun take_memory(std::uint32_t page_count);

  void start(sched::PageSupply& supply) override { supply_ = &supply; }
  [[nodiscard]] bool open(proto::NodeId region) override;
  void close(proto::NodeId region) override;
  [[nodiscard]] std::vector<std::uint64_t> allocate(proto::NodeId region, std::uint64_t bytes,
                                                    std::uint64_t count) override;
  void free(std::uint64_t object) override;
  void trim() override;
  [[nodiscard]] std::optional<proto::NodeId> region_of(std::uint64_t object) const override;
  [[nodiscard]] sched::ByteRange range_of(std::uint64_t object) const override;
  [[nodiscard]] std::vector<sched::ByteRange> pack(proto::NodeId region) const override;

 private:
  // For the depot and the pools.
  [[nodiscard]] mem::Extent take(std::uint32_t count) noexcept override;
  void give(mem::Extent pages) noexcept override;
  // Low: what lies idle here is missing elsewhere, and getting it again needs no system call.
  [[nodiscard]] std::uint32_t level(mem::Watermark mark) const noexcept override {
    return mark.low;
  }
  void reclaim() noexcept override { depot_.trim(); }

  mem::Depot depot_;
  sched::PageSupply* supply_ = nullptr;
  base::StableMap<mem::Pool*> pools_;       // by region
  base::StableMap<proto::NodeId> regions_;  // by the pools' owner numbers
};

}  // namespace myr::cluster
