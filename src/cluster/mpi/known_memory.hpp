// SPDX-License-Identifier: Apache-2.0
//
// KnownMemory: what a process knows of regions and objects that are others': the tree of regions,
// and the heap's tables, of which it has those parts that its tasks have needed. Regions are known
// for ever: their numbers do not come again. What the tables say holds only for the task that has
// asked, and as long as nobody else can have changed it: others may free what it does not hold, or
// what its children hold, and the owner uses the place anew. So each entry has a stamp, and is of
// use to the task with the same one; a task that needs it and has another one asks again.
//
// Threads: one at a time; knows() and new_stamp(): any. Lookups run beside it.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "graph/region_space.hpp"
#include "mem/pool.hpp"
#include "proto/pages.hpp"
#include "sync/atomic.hpp"

namespace myr::cluster::mpi {

class KnownMemory {
 public:
  using Stamp = std::uint32_t;

  explicit KnownMemory(graph::RegionSpace& space) noexcept : space_(space) {}
  KnownMemory(const KnownMemory&) = delete;
  KnownMemory& operator=(const KnownMemory&) = delete;
  ~KnownMemory();
  // Error: the system refuses the addresses.
  [[nodiscard]] base::Result<bool> start();

  // Another one each time. What has been learnt with other stamps is of no use with it.
  [[nodiscard]] Stamp new_stamp() noexcept { return last_stamp_.fetch_add(1, sync::relaxed) + 1; }
  // Is there an object around the address, by an entry of this stamp, or of memory that this
  // process has made?
  [[nodiscard]] bool knows(const void* address, Stamp stamp) const noexcept;

  // What an owner has told of regions, each inside the next one.
  void learn_regions(std::span<const std::uint64_t> regions);
  // The same for slabs, as HeapStore::describe() has them; `told`: a stamp that was new when that
  // came. False: what came later is known already of some; it may not hold for the asker.
  [[nodiscard]] bool learn_slabs(std::span<const std::byte> slabs, Stamp told, Stamp stamp);
  // What was made here is another's now.
  static void leave(const mem::PoolPart& part);
  // Pages are lent to this process: what it knew to be in them is gone.
  void forget(proto::PageRun pages);
  // A task that holds a region around it has freed it; or its owner says that it is not there.
  void object_freed(const void* object);

 private:
  struct Entry {
    sync::Atomic<Stamp> stamp;  // 0: nobody has told what is there
    Stamp told;                 // when that came, or the memory to this process
  };

  graph::RegionSpace& space_;
  Entry* entries_ = nullptr;  // by slab
  sync::Atomic<Stamp> last_stamp_{0};
};

}  // namespace myr::cluster::mpi
