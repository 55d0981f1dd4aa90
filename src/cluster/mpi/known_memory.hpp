// SPDX-License-Identifier: Apache-2.0
//
// KnownMemory: what a process knows of regions and objects that are others': the heap's tables and
// the tree of regions, of which it has those parts that its tasks have needed. A task that came
// here holds what it declares until it ends, so what is known of that stands; of what no task here
// holds any more, nothing is known, as others may free it and use its place anew. Regions are known
// for ever: their numbers do not come again.
//
// Threads: one at a time; lookups run beside it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "graph/region_space.hpp"
#include "mem/pool.hpp"
#include "proto/pages.hpp"
#include "transport/mpi/rank.hpp"

namespace myr::cluster::mpi {

class KnownMemory {
 public:
  using Range = transport::mpi::Range;

  explicit KnownMemory(graph::RegionSpace& space) : space_(space) {}

  // Tasks hold the bytes: as often as they let go of them. Cost: O(log ranges), and how many others
  // begin or end in there.
  void hold(const Range& range) { count(range, true); }
  void let_go(const Range& range) { count(range, false); }

  // What an owner has told: regions, each inside the next one; and slabs, as HeapStore::describe()
  // has them. Returns which bytes are known now; they are held.
  [[nodiscard]] Range learn(std::span<const std::uint64_t> regions,
                            std::span<const std::byte> slabs);
  // The tables have this already: it was made here, and is another's now. Held like what is learnt.
  [[nodiscard]] Range keep(const mem::PoolPart& part);
  // The same, but no task here holds it.
  static void leave(const mem::PoolPart& part);
  // Pages are lent to this process: what it knew to be in them is gone.
  void forget(proto::PageRun pages);
  // A task that holds a region around it frees it.
  void object_freed(void* object);
  void region_freed(deps::RegionIndex region);

  [[nodiscard]] std::size_t known_count() const noexcept { return known_.size(); }

 private:
  void count(const Range& range, bool holds);
  void forget(std::uint32_t first, std::uint32_t end);

  graph::RegionSpace& space_;
  std::set<std::uint32_t> known_;  // slabs
  // From this slab on, up to the next entry: so many hold it. Before the first: none.
  std::map<std::uint32_t, unsigned> holders_;
};

}  // namespace myr::cluster::mpi
