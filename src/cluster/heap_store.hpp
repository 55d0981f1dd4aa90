// SPDX-License-Identifier: Apache-2.0
//
// HeapStore: the memory of one scheduler's regions where there are real bytes: a pool for each
// region, on pages that schedulers trade. All stores of a process lie in its one heap, but no two
// share a depot, a page or a lock, and what one owns the others do not find.
//
// Threads: that of the scheduler; allocate_here() and free_here() by any other thread. The workers'
// accesses to objects are no business of it.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/stable_map.hpp"
#include "graph/region_space.hpp"
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

  // `index`: below kCountMax, another one for each store. `space`: where the regions of all stores
  // of the process get their numbers. `is_alone`: the machine's other stores are in other
  // processes, and only a store itself knows its objects. REQUIRES: the heap exists, until the end.
  HeapStore(std::uint32_t index, graph::RegionSpace& space, bool is_alone = false);

  // This store has what is made for that owner, and not the root.
  void stand_in_for(proto::AgentId owner) { owner_ = owner; }

  // What the top of a tree is to start with: set aside of the heap's pages, for ever. Fewer pages
  // than asked for, if addresses are short.
  [[nodiscard]] static proto::PageRun take_memory(std::uint32_t page_count);
  // Makes all of it usable, to use objects that stores in other processes have made.
  [[nodiscard]] static bool make_usable(proto::PageRun memory);

  void start(sched::PageSupply& supply) override { supply_ = &supply; }
  [[nodiscard]] std::optional<std::uint64_t> new_serial(proto::AgentId owner,
                                                        proto::NodeId parent) override;
  [[nodiscard]] bool open(proto::NodeId region) override;
  void close(proto::NodeId region) override;
  [[nodiscard]] std::vector<std::uint64_t> allocate(proto::NodeId region, std::uint64_t bytes,
                                                    std::uint64_t count) override;
  void free(std::uint64_t object) override;
  void trim() override;
  [[nodiscard]] std::optional<proto::NodeId> region_of(std::uint64_t object) const override;
  [[nodiscard]] std::optional<std::uint64_t> start_of(std::uint64_t address) const override;
  // Slabs: those that mem::copy_slabs() finds.
  [[nodiscard]] std::vector<std::byte> describe(std::uint64_t address) const override;
  [[nodiscard]] std::vector<std::uint64_t> lend_indices(std::uint64_t count) override {
    return space_.lend_indices(count);
  }
  void take_over(const proto::MadeRegion& region, std::span<const std::byte>& memory) override;
  // The other side: the region leaves this store, but what is in it stays, and is another process's
  // from now on. Appends what that has to know, and returns it.
  std::vector<mem::PoolPart> hand_over(proto::NodeId region, std::vector<std::byte>& memory);
  [[nodiscard]] sched::ByteRange range_of(std::uint64_t object) const override;
  [[nodiscard]] std::vector<sched::ByteRange> pack(proto::NodeId region) const override;

  // For a task that holds the region, in place of a message to the scheduler. False: ask the
  // scheduler, which may get pages for it. Cost: a lock, and what the pool takes.
  [[nodiscard]] bool allocate_here(proto::NodeId region, std::size_t bytes, std::size_t count,
                                   void** objects);
  // The same for an object in a region of this store. False: it is none.
  [[nodiscard]] bool free_here(void* object);

 private:
  // For the depot and the pools.
  [[nodiscard]] mem::Extent take(std::uint32_t count) noexcept override;
  void give(mem::Extent pages) noexcept override;
  // Low: what lies idle here is missing elsewhere, and getting it again needs no system call.
  [[nodiscard]] std::uint32_t level(mem::Watermark mark) const noexcept override {
    return mark.low;
  }
  void reclaim() noexcept override { depot_.trim(); }

  // nullptr: no live object of this store starts there.
  [[nodiscard]] mem::Pool* pool_of(void* object) const;
  // Before the scheduler does something: others may not call it.
  void settle();

  graph::RegionSpace& space_;
  const bool is_alone_;
  proto::AgentId owner_ = proto::kNoAgent;  // of its regions, once there are some
  mutable std::mutex lock_;                 // guards what follows
  mem::Depot depot_;
  sched::PageSupply* supply_ = nullptr;  // the scheduler's alone
  base::StableMap<mem::Pool*> pools_;    // by region
  bool is_scheduler_away_ = false;       // another thread is here, which may not use the supply
  std::vector<mem::Extent> left_;        // for the supply, by such threads
};

}  // namespace myr::cluster
