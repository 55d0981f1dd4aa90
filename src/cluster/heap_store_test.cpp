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
    const PageRun all = HeapStore::take_memory(pages);
    REQUIRE(all.count == pages);
    for (std::uint64_t i = 0; i < pages; ++i) {
      supplies[i % 2].add({.first = all.first + i, .count = 1});
    }
    for (std::uint32_t i = 0; i < 2; ++i) {
      stores[i] = std::make_unique<HeapStore>(i);
      stores[i]->start(supplies[i]);
    }
  }
  Stores(const Stores&) = delete;
  Stores& operator=(const Stores&) = delete;
  ~Stores() { heap->destroy(); }

  mem::Heap* heap;
  Supply supplies[2];
  std::unique_ptr<HeapStore> stores[2];
};

constexpr NodeId region(std::uint64_t number) { return proto::make_region_id(0, number); }

}  // namespace

TEST_CASE("a store finds its own objects, not those of another in the same heap") {
  Stores both(20);
  HeapStore& left = *both.stores[0];
  HeapStore& right = *both.stores[1];
  REQUIRE(left.open(region(1)));
  REQUIRE(right.open(region(1)));
  const auto ours = left.allocate(region(1), 100, 1000);
  const auto theirs = right.allocate(region(1), 100, 1000);
  REQUIRE(ours.size() == 1000);
  REQUIRE(theirs.size() == 1000);
  for (const std::uint64_t object : ours) {
    std::memset(reinterpret_cast<void*>(object), 1, 100);
    CHECK(left.region_of(object) == region(1));
    CHECK(left.range_of(object).bytes == 128);
    CHECK_FALSE(right.region_of(object));
    CHECK_FALSE(left.region_of(object + 64));
  }
  left.free(ours[5]);
  CHECK_FALSE(left.region_of(ours[5]));
  std::uint64_t bytes = 0;
  for (const sched::ByteRange& range : left.pack(region(1))) bytes += range.bytes;
  CHECK(bytes >= 999 * 128);
  CHECK(bytes < 1100 * 128);
}

TEST_CASE("without pages there is nothing, or nothing new") {
  Stores both(4);
  HeapStore& store = *both.stores[0];
  REQUIRE(store.open(region(1)));
  CHECK(store.allocate(region(1), 1 << 20, 3).empty());
  CHECK(store.allocate(region(1), 64, std::uint64_t{1} << 40).empty());
  CHECK(store.allocate(region(1), std::uint64_t{1} << 60, 1).empty());
  CHECK(store.pack(region(1)).empty());
  CHECK(store.allocate(region(1), 64, 1000).size() == 1000);
}

TEST_CASE("idle pages go back: of freed objects, and of closed regions") {
  Stores both(80);
  HeapStore& store = *both.stores[0];
  REQUIRE(store.open(region(1)));
  REQUIRE(store.open(region(2)));
  const auto objects = store.allocate(region(1), 4096, 5000);
  REQUIRE(objects.size() == 5000);
  REQUIRE(store.allocate(region(2), 200, 10'000).size() == 10'000);
  for (const std::uint64_t object : objects) store.free(object);
  store.trim();
  const std::uint64_t with_one = both.supplies[0].free_count();
  CHECK(with_one >= 40 - 6);
  store.close(region(2));
  store.close(region(1));
  store.trim();
  CHECK(both.supplies[0].free_count() >= 40 - 1);  // tables of pools stay
}

TEST_CASE("stores of different threads share nothing") {
  Stores both(60);
  const auto work = [&both](std::uint32_t index) {
    HeapStore& store = *both.stores[index];
    for (std::uint64_t round = 0; round < 30; ++round) {
      static_cast<void>(store.open(region(round)));
      const auto objects = store.allocate(region(round), 64 * (1 + round % 90), 1000);
      for (std::size_t i = 0; i < objects.size(); i += 2) {
        std::memset(reinterpret_cast<void*>(objects[i]), static_cast<int>(index), 64);
        store.free(objects[i]);
      }
      if (round >= 3) store.close(region(round - 3));
      store.trim();
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
}
