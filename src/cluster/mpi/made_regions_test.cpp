// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/made_regions.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "mem/heap.hpp"

using namespace myr;  // NOLINT(google-build-using-namespace)
using cluster::HeapStore;
using cluster::mpi::MadeRegions;
using deps::RegionTree;
using mem::Heap;
using proto::NodeId;

namespace {

constexpr proto::AgentId kOwner = 0;
constexpr proto::TaskId kHolder = 5;

// A process that makes regions, and the store of the scheduler that lends it what it needs. They
// have one table of slabs here; of trees of regions, each has its own, as in two processes.
class Pair {
 public:
  Pair() : heap_(*Heap::create({.reserve_bytes = std::size_t{256} << 20})) {
    const proto::PageRun all = HeapStore::take_memory(64);
    REQUIRE(all.count == 64);
    supply_.free = all;
    theirs = std::move(*graph::RegionSpace::create_for_agents());
    ours = std::move(*graph::RegionSpace::create_for_agents(0, 0));
    store = std::make_unique<HeapStore>(100, *theirs);
    store->start(supply_);
    CHECK(store->new_serial(kOwner, proto::kRootRegion) == 0);
    REQUIRE(store->open(proto::kRootRegion));
    made = std::make_unique<MadeRegions>(*ours);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() { heap_->destroy(); }

  void lend() {
    const proto::Lend lend = made->next_loan(kOwner, 1);
    made->borrow({.request = 0,
                  .owner = kOwner,
                  .indices = store->lend_indices(lend.indices),
                  .pages = {*supply_.take(lend.pages)}});
  }
  // What is in it goes to the store. Returns how many regions.
  std::size_t hand_over() {
    std::size_t count = 0;
    made->hand_over(
        kHolder, 1,
        [&](proto::AgentId owner, const proto::HandOver& message) {
          CHECK(owner == kOwner);
          std::span<const std::byte> memory = message.memory;
          for (const proto::MadeRegion& region : message.regions) {
            CHECK(theirs->tree().find(region.parent.value()) != deps::kNoRegion);
            store->take_over(region, memory);
          }
          CHECK(memory.empty());
          count += message.regions.size();
        },
        [](const mem::PoolPart&) {});
    return count;
  }

 private:
  struct Supply final : sched::PageSupply {
    std::optional<proto::PageRun> take(std::uint64_t count) override {
      if (free.count < count) return {};
      const proto::PageRun run{free.first, count};
      free = {run.end(), free.count - count};
      return run;
    }
    void give(proto::PageRun) override {}
    proto::PageRun free;
  };
  Heap* heap_;
  Supply supply_;

 public:
  std::unique_ptr<graph::RegionSpace> theirs, ours;
  std::unique_ptr<HeapStore> store;
  std::unique_ptr<MadeRegions> made;
};

}  // namespace

TEST_CASE("regions are made of what is lent, and handed over with what is in them") {
  Pair pair;
  MadeRegions& made = *pair.made;
  CHECK_FALSE(made.make(kHolder, MYR_ROOT));
  pair.lend();
  const myr_region outer = made.make(kHolder, MYR_ROOT).value();
  const myr_region inner = made.make(kHolder, outer).value();
  const myr_region gone = made.make(kHolder, outer).value();
  CHECK(proto::owner_of_region(NodeId::region(inner)) == kOwner);
  CHECK(made.holder_of(RegionTree::index_of(inner)) == kHolder);
  void* object = nullptr;
  REQUIRE(made.allocate(inner, 100, 1, &object));
  std::memset(object, 1, 100);
  made.free_region(RegionTree::index_of(gone));
  CHECK_FALSE(made.has(RegionTree::index_of(gone)));

  CHECK(pair.hand_over() == 2);
  CHECK_FALSE(made.has(RegionTree::index_of(inner)));
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  CHECK(pair.store->region_of(address) == NodeId::region(inner));
  CHECK(pair.theirs->tree().encloses(RegionTree::index_of(outer), RegionTree::index_of(inner)));
  CHECK(pair.store->allocate(NodeId::region(inner), 100, 10).size() == 10);
  pair.store->free(address);
  pair.store->close(NodeId::region(inner));
  CHECK(pair.theirs->tree().find(inner) == deps::kNoRegion);
  CHECK(pair.hand_over() == 0);
}

TEST_CASE("a region is freed with all inside, and no number comes again") {
  Pair pair;
  MadeRegions& made = *pair.made;
  pair.lend();
  const myr_region top = made.make(kHolder, MYR_ROOT).value();
  myr_region last = top;
  for (int i = 0; i < 20; ++i) last = made.make(kHolder, last).value();
  made.free_region(RegionTree::index_of(top));
  CHECK(pair.ours->tree().find(last) == deps::kNoRegion);
  std::vector<myr_region> others;
  while (const auto made_one = made.make(kHolder, MYR_ROOT)) {
    CHECK(*made_one != top);
    CHECK(*made_one != last);
    others.push_back(*made_one);
  }
  CHECK(others.size() == 32);  // as many as were lent
  CHECK(pair.hand_over() == 32);
}

TEST_CASE("without pages there are no objects") {
  Pair pair;
  pair.lend();
  const myr_region region = pair.made->make(kHolder, MYR_ROOT).value();
  void* object = nullptr;
  CHECK_FALSE(pair.made->allocate(region, 5 << 20, 1, &object));
  CHECK(pair.made->allocate(region, 64, 1, &object));
}
