// SPDX-License-Identifier: Apache-2.0
//
// One behaviour of the heap a test case. See also heap_model_test, heap_limits_test and
// heap_threads_test.
#include "mem/heap.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "mem/test_heap.hpp"

using namespace myr::mem;

namespace {
std::byte* bytes_of(void* object) { return static_cast<std::byte*>(object); }
}  // namespace

TEST_CASE("objects are aligned, distinct and known") {
  TestHeap heap;
  Pool* pool = heap->pool_new(7);
  std::set<void*> seen;
  for (int i = 0; i < 1000; ++i) {
    void* object = heap->alloc(*pool, 100);
    REQUIRE(object != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(object) % 64 == 0);
    CHECK(seen.insert(object).second);
    CHECK(Heap::contains(object));
    CHECK(Heap::owner_of(object) == 7);
    CHECK(Heap::object_bytes(object) == 128);
    CHECK(Heap::find_object(bytes_of(object) + 127).first == object);
  }
  heap->pool_free(pool);
  for (void* object : seen) CHECK(Heap::owner_of(object) == Heap::kNoOwner);
}

TEST_CASE("owner 0 is an owner like any other") {
  TestHeap heap;
  Pool* pool = heap->pool_new(0);
  void* object = heap->alloc(*pool, 1);
  CHECK(Heap::owner_of(object) == 0);
  heap->pool_free(pool);
}

TEST_CASE("freed slots are handed out again before new slabs") {
  TestHeap heap;
  Pool* pool = heap->pool_new(1);
  std::vector<void*> objects(1000);
  REQUIRE(heap->alloc_many(*pool, 192, objects.size(), objects.data()));
  std::set<void*> holes;
  for (std::size_t i = 0; i < objects.size(); i += 3) {
    REQUIRE(heap->free(*pool, objects[i]) == FreeResult::Ok);
    holes.insert(objects[i]);
  }
  const PoolStats before = pool->stats();
  for (std::size_t i = holes.size(); i > 0; --i) CHECK(heap->alloc(*pool, 192) != nullptr);
  const PoolStats after = pool->stats();
  // The rest of the span that was in use may be used up first: at most two more slabs.
  CHECK(after.full_slabs + after.partial_slabs <= before.full_slabs + before.partial_slabs + 2);
  CHECK(after.object_count == 1000);
  heap->pool_free(pool);
}

TEST_CASE("a key tells whether an object of the same size and owner is there") {
  TestHeap heap;
  const auto is_found_again = [&](std::uint32_t owner, std::size_t bytes) {
    Pool* pool = heap->pool_new(3);
    void* const first = heap->alloc(*pool, 192);
    REQUIRE(first != nullptr);
    const Heap::Key key = Heap::key_of(first);
    CHECK(Heap::is_there(first, key));
    REQUIRE(heap->free(*pool, first) == FreeResult::Ok);
    CHECK_FALSE(Heap::is_there(first, key));
    heap->pool_free(pool);
    pool = heap->pool_new(owner);
    void* again = nullptr;
    for (int i = 0; i < 100'000 && again != first; ++i) again = heap->alloc(*pool, bytes);
    REQUIRE(again == first);
    const bool found = Heap::is_there(first, key);
    heap->pool_free(pool);
    return found;
  };
  CHECK(is_found_again(3, 192));
  CHECK_FALSE(is_found_again(4, 192));
  CHECK_FALSE(is_found_again(3, 64));
}

TEST_CASE("a second free is told from a wild pointer") {
  TestHeap heap;
  Pool* pool = heap->pool_new(1);
  Pool* other = heap->pool_new(2);
  for (const std::size_t bytes : {64u, 192u, 2112u, 4096u, 4160u, 100'000u, 3'000'000u}) {
    CAPTURE(bytes);
    void* object = heap->alloc(*pool, bytes);
    CHECK(heap->free(*other, object) == FreeResult::NotAnObject);
    CHECK(heap->free(*pool, bytes_of(object) + 1) == FreeResult::NotAnObject);
    CHECK(heap->free(*pool, bytes_of(object) + 64) != FreeResult::Ok);
    CHECK(heap->free(*pool, object) == FreeResult::Ok);
    CHECK(heap->free(*pool, object) == FreeResult::AlreadyFree);
    CHECK(Heap::object_bytes(object) == 0);
    CHECK(Heap::find_object(object).first == nullptr);
  }
  int on_stack = 0;
  CHECK(heap->free(*pool, &on_stack) == FreeResult::NotAnObject);
  CHECK(heap->free(*pool, nullptr) == FreeResult::NotAnObject);
  heap->pool_free(pool);
  heap->pool_free(other);
}

TEST_CASE("an array with blocks is no object, but is found, counted and freed as one") {
  TestHeap heap;
  Pool* pool = heap->pool_new(3);
  Pool* other = heap->pool_new(4);
  void* const neighbour = heap->alloc(*pool, 64);
  const std::size_t used_before = heap->stats().used_bytes;
  for (const std::size_t bytes : {1u, 64u, 61'504u, 100'000u, 3'000'000u}) {
    for (const unsigned shift : {6u, 12u, 40u}) {
      CAPTURE(bytes);
      CAPTURE(shift);
      std::byte* const array = bytes_of(Heap::alloc_blocks(*pool, bytes, shift));
      REQUIRE(array != nullptr);
      CHECK(Heap::object_bytes(array) == 0);
      const Range found = Heap::find_object(array + bytes - 1);
      CHECK(found.first == array);
      CHECK(found.bytes >= bytes);
      CHECK(Heap::owner_of(array + bytes - 1) == 3);
      CHECK(Heap::block_shift_of(array) == shift);
      CHECK(heap->stats().used_bytes == used_before + found.bytes);
      CHECK(heap->free(*other, array) == FreeResult::NotAnObject);
      CHECK(heap->free(*pool, array + 64) != FreeResult::Ok);
      CHECK(heap->free(*pool, array) == FreeResult::Ok);
      CHECK(heap->free(*pool, array) == FreeResult::AlreadyFree);
      CHECK(Heap::find_object(array).first == nullptr);
    }
  }
  CHECK(Heap::alloc_blocks(*pool, kHeapBytesMax + 1, 6) == nullptr);
  CHECK(Heap::block_shift_of(neighbour) == 0);
  CHECK(Heap::block_shift_of(heap->alloc(*pool, 100'000)) == 0);
  CHECK(Heap::alloc_blocks(*pool, 100'000, 6) != nullptr);
  heap->pool_free(pool);  // with what is in it
  heap->pool_free(other);
  CHECK(heap->stats().used_bytes == 0);
}

TEST_CASE("lookups take any address") {
  TestHeap heap;
  Pool* pool = heap->pool_new(1);
  std::byte* object = bytes_of(heap->alloc(*pool, 64));
  int on_stack = 0;
  const void* const addresses[] = {nullptr,
                                   &on_stack,
                                   reinterpret_cast<void*>(~std::uintptr_t{0}),
                                   granule_address(0),
                                   slab_address(kSlabsMax - 1),
                                   reinterpret_cast<void*>(kSlabTable),
                                   object + (std::size_t{1} << 36),
                                   object + 1'000'000};
  for (const void* address : addresses) {
    CHECK(Heap::owner_of(address) == Heap::kNoOwner);
    CHECK(Heap::object_bytes(address) == 0);
    CHECK(Heap::find_object(address).first == nullptr);
  }
  CHECK_FALSE(Heap::contains(nullptr));
  CHECK_FALSE(Heap::contains(reinterpret_cast<void*>(kHeapBase - 1)));
  CHECK_FALSE(Heap::contains(reinterpret_cast<void*>(kSlabTable)));
  CHECK(Heap::contains(reinterpret_cast<void*>(kSlabTable - 1)));
  CHECK(Heap::object_bytes(object + 1) == 0);
  heap->pool_free(pool);
}

TEST_CASE("a huge object is known at every address in it") {
  TestHeap heap;
  Pool* pool = heap->pool_new(5);
  constexpr std::size_t kBytes = (std::size_t{5} << 30) + 64;
  std::byte* object = bytes_of(heap->alloc(*pool, kBytes));
  REQUIRE(object != nullptr);
  CHECK(Heap::object_bytes(object) == kBytes);
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{4096}, kPageBytes, kBytes / 2, kBytes - 1}) {
    CHECK(Heap::owner_of(object + at) == 5);
    CHECK(Heap::find_object(object + at).first == object);
    CHECK(Heap::find_object(object + at).bytes == kBytes);
    object[at] = std::byte{1};
  }
  CHECK(Heap::find_object(object + kBytes).first == nullptr);
  std::vector<Range> ranges;
  heap->pack(*pool, ranges);
  REQUIRE(ranges.size() == 1);
  CHECK(ranges[0].first == object);
  CHECK(ranges[0].bytes == myr::base::round_up(kBytes, kSlabBytes));
  CHECK(heap->free(*pool, object) == FreeResult::Ok);
  CHECK(Heap::owner_of(object + kBytes / 2) == Heap::kNoOwner);
  heap->pool_free(pool);
}

TEST_CASE("every size from one granule to over a page works") {
  TestHeap heap;
  Pool* pool = heap->pool_new(1);
  std::vector<std::byte*> objects;
  for (std::size_t bytes = 64; bytes <= 70'000; bytes += 64) {
    std::byte* object = bytes_of(heap->alloc(*pool, bytes));
    REQUIRE(object != nullptr);
    REQUIRE(Heap::object_bytes(object) == bytes);
    std::memset(object, static_cast<int>(bytes / 64 % 251), bytes);
    objects.push_back(object);
  }
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::size_t bytes = (i + 1) * 64;
    const std::byte mark{static_cast<unsigned char>((i + 1) % 251)};
    REQUIRE(std::all_of(objects[i], objects[i] + bytes, [&](std::byte b) { return b == mark; }));
    REQUIRE(heap->free(*pool, objects[i]) == FreeResult::Ok);
  }
  CHECK(pool->stats().object_count == 0);
  heap->pool_free(pool);
}

TEST_CASE("packed ranges are the non-empty slabs, ascending and joined") {
  TestHeap heap;
  Pool* pool = heap->pool_new(1);
  std::vector<Range> ranges;
  heap->pack(*pool, ranges);
  CHECK(ranges.empty());

  std::vector<void*> objects(64 * 100);
  REQUIRE(heap->alloc_many(*pool, 64, objects.size(), objects.data()));
  heap->pack(*pool, ranges);
  std::size_t bytes = 0;
  for (const Range& range : ranges) bytes += range.bytes;
  CHECK(bytes == 100 * kSlabBytes);
  CHECK(ranges.size() <= 8);  // chunks that double
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    CHECK(ranges[i - 1].first + ranges[i - 1].bytes < ranges[i].first);
  }
  const Range known{nullptr, 0};
  ranges = {known};
  heap->pack(*pool, ranges);
  CHECK(ranges[0].first == nullptr);  // appended, not replaced
  heap->pool_free(pool);
}

TEST_CASE("a slab that only the tail of an object reaches is packed") {
  TestHeap heap;
  Pool* pool = heap->pool_new(1);
  std::vector<void*> objects(20);
  REQUIRE(heap->alloc_many(*pool, 1536, objects.size(), objects.data()));
  std::set<std::size_t> slabs;
  for (void* object : objects) {
    const std::size_t first_slab = heap_offset(object) / kSlabBytes;
    const std::size_t last_slab = (heap_offset(object) + 1535) / kSlabBytes;
    if (first_slab != last_slab) {
      slabs.insert({first_slab, last_slab});
    } else {
      CHECK(heap->free(*pool, object) == FreeResult::Ok);
    }
  }
  CHECK(slabs.size() > 2);
  std::vector<Range> ranges;
  heap->pack(*pool, ranges);
  std::size_t bytes = 0;
  for (const Range& range : ranges) bytes += range.bytes;
  CHECK(bytes == slabs.size() * kSlabBytes);
  heap->pool_free(pool);
}

TEST_CASE(
    "an owner's objects may be looked up while another pool has the "
    "neighbouring slabs") {
  TestHeap heap;
  std::vector<Pool*> pools;
  std::vector<void*> objects;
  for (std::uint32_t owner = 0; owner < 1000; ++owner) {
    pools.push_back(heap->pool_new(owner));
    objects.push_back(heap->alloc(*pools.back(), 64 + owner));
  }
  CHECK(heap->stats().pool_count == 1000);
  for (std::uint32_t owner = 0; owner < 1000; ++owner)
    CHECK(Heap::owner_of(objects[owner]) == owner);
  for (Pool* pool : pools) heap->pool_free(pool);
  CHECK(heap->stats().pool_count == 0);
  CHECK(heap->stats().used_bytes == 0);
}

namespace {

// Two depots on the pages of one heap: as those of two processes, of which each has the tables.
struct TwoDepots {
  TestHeap heap;
  Depot here{Heap::pages(), Heap::kDepotCount, sizeof(Pool)};
  Depot there{Heap::pages(), Heap::kDepotCount + 1, sizeof(Pool)};
  ~TwoDepots() {
    here.trim();
    there.trim();
  }
};

}  // namespace

TEST_CASE("a pool goes to another process with all that is in it") {
  TwoDepots depots;
  Pool* const pool = Heap::pool_new(depots.here, 7);
  std::vector<std::pair<std::byte*, std::size_t>> objects;
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto add = [&](Pool& to) {
    constexpr std::size_t kSizes[] = {64, 200, 1000, 3000, 9000, 100'000, 3'000'000};
    const std::size_t bytes = kSizes[random() % 7];
    objects.emplace_back(static_cast<std::byte*>(Heap::alloc(to, bytes)), bytes);
    REQUIRE(objects.back().first != nullptr);
  };
  const auto free_some = [&](Pool& of, std::size_t left) {
    while (objects.size() > left) {
      std::swap(objects[random() % objects.size()], objects.back());
      REQUIRE(Heap::free(of, objects.back().first) == FreeResult::Ok);
      objects.pop_back();
    }
  };
  for (int i = 0; i < 600; ++i) add(*pool);
  free_some(*pool, 200);
  std::vector<Range> before;
  pool->pack(before);

  const std::vector<PoolPart> parts = pool->leave();
  CHECK(depots.here.pool_count() == 0);
  Pool* const moved = Pool::come(depots.there, 7, parts);
  CHECK(moved == pool);
  CHECK(depots.there.pool_count() == 1);
  std::vector<Range> after;
  moved->pack(after);
  CHECK(before.size() == after.size());
  for (const auto& [object, bytes] : objects) {
    CHECK(Heap::owner_of(object) == 7);
    CHECK(Heap::object_bytes(object) >= bytes);
  }
  CHECK(moved->stats().object_count == 200);
  for (int i = 0; i < 300; ++i) add(*moved);
  std::set<std::byte*> distinct;
  for (const auto& [object, bytes] : objects) CHECK(distinct.insert(object).second);
  free_some(*moved, 1);
  std::byte* const last = objects.front().first;
  moved->close();
  CHECK(Heap::owner_of(last) == Heap::kNoOwner);
  CHECK(depots.there.pool_count() == 0);
}
