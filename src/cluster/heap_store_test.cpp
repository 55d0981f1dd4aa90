// SPDX-License-Identifier: Apache-2.0
#include "cluster/heap_store.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "proto/ids.hpp"
#include "sched/page_map.hpp"

namespace {

using namespace myr;  // NOLINT(google-build-using-namespace)
using cluster::HeapStore;
using proto::NodeId;
using proto::PageRun;
using sched::PageMap;

// The pages of one scheduler that nobody trades with.
class Supply final : public sched::PageSupply {
 public:
  void add(PageRun run) { map_.assign(run, PageMap::kElsewhere, PageMap::kFree); }
  std::optional<PageRun> take(std::uint64_t count) override {
    const auto run = map_.find_free(count);
    if (run) map_.assign(*run, PageMap::kFree, 0);
    return run;
  }
  void give(PageRun run) override { map_.assign(run, 0, PageMap::kFree); }
  [[nodiscard]] std::uint64_t free_count() const { return map_.free_count(); }

 private:
  PageMap map_;
};

// Stores that have every other page of the same heap each.
struct Stores {
  explicit Stores(std::uint32_t pages) {
    auto made = mem::Heap::create({.reserve_bytes = std::size_t{256} << 20});
    REQUIRE(made);
    heap = *made;
    auto regions = graph::RegionSpace::create_for_agents();
    REQUIRE(regions);
    space = std::move(*regions);
    const PageRun all = HeapStore::take_memory(pages);
    REQUIRE(all.count == pages);
    for (std::uint64_t i = 0; i < pages; ++i) {
      supplies[i % 2].add({.first = all.first + i, .count = 1});
    }
    for (std::uint32_t i = 0; i < 2; ++i) {
      stores[i] = std::make_unique<HeapStore>(i, *space);
      stores[i]->start(supplies[i]);
    }
  }
  Stores(const Stores&) = delete;
  Stores& operator=(const Stores&) = delete;
  ~Stores() { heap->destroy(); }

  mem::Heap* heap;
  std::unique_ptr<graph::RegionSpace> space;
  Supply supplies[2];
  std::unique_ptr<HeapStore> stores[2];
};

// A region in the root; the store is that of the agent `owner`. Nothing: no pages.
std::optional<NodeId> open_region(HeapStore& store, proto::AgentId owner) {
  const auto serial = store.new_serial(owner, proto::kRootRegion);
  REQUIRE(serial);
  const NodeId region = proto::make_region_id(owner, *serial);
  if (!store.open(region)) return {};
  return region;
}

}  // namespace

TEST_CASE("a store finds its own objects, not those of another in the same heap") {
  Stores both(20);
  HeapStore& left = *both.stores[0];
  HeapStore& right = *both.stores[1];
  const NodeId left_region = open_region(left, 1).value();
  const auto ours = left.allocate(left_region, 100, 1000);
  const auto theirs = right.allocate(open_region(right, 2).value(), 100, 1000);
  REQUIRE(ours.size() == 1000);
  REQUIRE(theirs.size() == 1000);
  for (const std::uint64_t object : ours) {
    std::memset(reinterpret_cast<void*>(object), 1, 100);
    CHECK(left.region_of(object) == left_region);
    CHECK(left.range_of(object).bytes == 128);
    CHECK_FALSE(right.region_of(object));
    CHECK_FALSE(left.region_of(object + 64));
  }
  left.free(ours[5]);
  CHECK_FALSE(left.region_of(ours[5]));
  std::uint64_t bytes = 0;
  for (const sched::ByteRange& range : left.pack(left_region)) bytes += range.bytes;
  CHECK(bytes >= 999 * 128);
  CHECK(bytes < 1100 * 128);
}

TEST_CASE("objects of a region that a task has freed are in none, though its owner has not heard") {
  Stores both(20);
  HeapStore& store = *both.stores[0];
  const NodeId region = open_region(store, 1).value();
  const auto objects = store.allocate(region, 100, 2);
  REQUIRE(store.region_of(objects[0]) == region);
  both.space->bury(both.space->tree().find(region.value()));
  CHECK_FALSE(store.region_of(objects[0]));
  CHECK_FALSE(store.free_here(reinterpret_cast<void*>(objects[1])));
  store.free(objects[0]);  // that the owner has begun before
  store.close(region);
}

TEST_CASE("without pages there is nothing, or nothing new") {
  Stores both(4);
  HeapStore& store = *both.stores[0];
  const NodeId region = open_region(store, 1).value();
  CHECK(store.allocate(region, 1 << 20, 3).empty());
  CHECK(store.allocate(region, 64, std::uint64_t{1} << 40).empty());
  CHECK(store.allocate(region, std::uint64_t{1} << 60, 1).empty());
  CHECK(store.pack(region).empty());
  CHECK(store.allocate(region, 64, 1000).size() == 1000);
}

TEST_CASE("idle pages go back: of freed objects, and of closed regions") {
  Stores both(80);
  HeapStore& store = *both.stores[0];
  const NodeId first = open_region(store, 1).value();
  const NodeId second = open_region(store, 1).value();
  const auto objects = store.allocate(first, 4096, 5000);
  REQUIRE(objects.size() == 5000);
  REQUIRE(store.allocate(second, 200, 10'000).size() == 10'000);
  for (const std::uint64_t object : objects) store.free(object);
  store.trim();
  const std::uint64_t with_one = both.supplies[0].free_count();
  CHECK(with_one >= 40 - 6);
  store.close(second);
  store.close(first);
  store.trim();
  CHECK(both.supplies[0].free_count() >= 40 - 1);  // tables of pools stay
}

TEST_CASE("stores of different threads share nothing") {
  Stores both(60);
  const auto work = [&both](std::uint32_t index) {
    HeapStore& store = *both.stores[index];
    std::vector<NodeId> regions;
    for (std::uint64_t round = 0; round < 30; ++round) {
      regions.push_back(open_region(store, 1 + index).value());
      const auto objects = store.allocate(regions.back(), 64 * (1 + round % 90), 1000);
      for (std::size_t i = 0; i < objects.size(); i += 2) {
        std::memset(reinterpret_cast<void*>(objects[i]), static_cast<int>(index), 64);
        store.free(objects[i]);
      }
      if (round >= 3) store.close(regions[round - 3]);
      store.trim();
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
}

TEST_CASE("a task's thread allocates and frees beside the scheduler, but gets no pages") {
  Stores both(60);
  HeapStore& store = *both.stores[0];
  const NodeId region = open_region(store, 1).value();
  void* objects[2];
  CHECK_FALSE(store.allocate_here(region, std::size_t{8} << 20, 1, objects));
  CHECK(store.allocate(region, 64, 1).size() == 1);  // brings a page
  std::thread other([&] {
    for (unsigned round = 0; round < 1000; ++round) {
      REQUIRE(store.allocate_here(region, 64, 2, objects));
      CHECK(store.free_here(objects[0]));
      CHECK(store.free_here(objects[1]));
    }
  });
  for (unsigned round = 0; round < 1000; ++round) {
    for (const std::uint64_t object : store.allocate(region, 64, 2)) store.free(object);
  }
  other.join();
  CHECK_FALSE(store.free_here(objects[1]));
}

TEST_CASE("ids of regions are those of layer graph, and name the owner") {
  Stores both(20);
  const NodeId outer = open_region(*both.stores[1], 5).value();
  CHECK(proto::owner_of_region(outer) == 5);
  const deps::RegionIndex index = both.space->tree().find(outer.value());
  REQUIRE(index != deps::kNoRegion);
  CHECK(both.space->tree().depth(index) == 1);
  both.space->bury(index);
  CHECK(both.space->tree().find(outer.value()) == deps::kNoRegion);
  both.stores[1]->close(outer);
  const NodeId next = open_region(*both.stores[0], 3).value();
  CHECK(both.space->tree().find(next.value()) == index);
  CHECK(next != outer);
  CHECK(both.space->tree().find(outer.value()) == deps::kNoRegion);
}
