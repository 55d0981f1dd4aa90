// SPDX-License-Identifier: Apache-2.0
//
// MadeRegions: regions that tasks of this process have made and schedulers do not know yet. Their
// indices and pages are lent by the scheduler that owns the region around them, and will own them;
// it hears of those that are left when somebody else may use them: see docs/adr/0072-made-here.md.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "cluster/heap_store.hpp"
#include "graph/region_space.hpp"
#include "proto/messages.hpp"

namespace myr::cluster::mpi {

class MadeRegions {
 public:
  explicit MadeRegions(graph::RegionSpace& space) : space_(space) {}

  // A region in `parent`, which is known here. `holder`: the task that came here and will be there
  // as long as the region is in here, or main. None: its owner has to lend more.
  [[nodiscard]] std::optional<myr_region> make(proto::TaskId holder, myr_region parent);
  [[nodiscard]] bool has(deps::RegionIndex region) const;
  // The holder of one of these regions.
  [[nodiscard]] std::optional<proto::TaskId> holder_of(deps::RegionIndex region) const;
  [[nodiscard]] std::vector<deps::RegionIndex> regions_of(proto::TaskId holder) const;
  // Objects in a region of these; false: its owner has to lend more pages.
  [[nodiscard]] bool allocate(myr_region region, std::size_t bytes, std::size_t count,
                              void** objects);
  // An object in a region of these.
  void free(void* object, myr_region region);
  // A region of these with all that are in it. Cost: how many these are.
  void free_region(deps::RegionIndex region);
  // The holder's regions that lie in one which is not made here, and is about to be freed.
  // Cost: how many the holder has.
  void free_inside(proto::TaskId holder, deps::RegionIndex region);

  // What to ask the owner for: for `pages` side by side and for regions in general; more each time.
  [[nodiscard]] proto::Lend next_loan(proto::AgentId owner, std::uint64_t pages);
  void borrow(const proto::Lent& lent);

  // All that the holder has is the owners' from now on: calls `send(owner, message)` and, for each
  // part of memory with objects in it, `leave(part)`.
  void hand_over(proto::TaskId holder, proto::AgentId self,
                 const std::function<void(proto::AgentId, proto::HandOver)>& send,
                 const std::function<void(const mem::PoolPart&)>& leave);

 private:
  // What one owner has lent.
  class Lender final : public sched::PageSupply {
   public:
    Lender(proto::AgentId owner, graph::RegionSpace& space) : store(owner, space) {
      store.start(*this);
      store.stand_in_for(owner);
    }
    [[nodiscard]] std::optional<proto::PageRun> take(std::uint64_t count) override;
    void give(proto::PageRun run) override;

    HeapStore store;
    std::uint64_t next_indices = kIndicesMin;
    std::uint64_t next_pages = 2;  // a pool lies in one, its slabs in another

   private:
    std::map<std::uint64_t, std::uint64_t> free_;  // pages: the first of a run, and how many
  };
  static constexpr std::uint64_t kIndicesMin = 32;
  static constexpr std::uint64_t kIndicesMax = 4096;
  static constexpr std::uint64_t kPagesMax = 64;
  // How many regions are told at once.
  static constexpr std::size_t kToldAtOnce = 1024;

  struct Made {
    proto::TaskId holder;
    std::uint64_t number;                     // a region has a greater one than the one around it
    std::set<deps::RegionIndex> inside = {};  // of these
  };

  [[nodiscard]] Lender& lender(proto::AgentId owner);

  graph::RegionSpace& space_;
  mutable std::mutex lock_;  // guards what follows
  std::unordered_map<proto::AgentId, std::unique_ptr<Lender>> lenders_;
  std::unordered_map<deps::RegionIndex, Made> made_;
  std::unordered_map<proto::TaskId, std::map<std::uint64_t, deps::RegionIndex>> by_holder_;
  std::uint64_t next_number_ = 0;
};

}  // namespace myr::cluster::mpi
