// SPDX-License-Identifier: Apache-2.0
//
// What the heap does when memory or addresses run out, and how it gives memory back.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/sanitized.hpp"
#include "mem/heap.hpp"
#include "mem/test_heap.hpp"

using namespace myr::mem;

namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

// OS pages of the heap's first `bytes` that have memory behind them.
std::size_t resident_pages(std::size_t bytes) {
  std::vector<unsigned char> resident(bytes / 4096);
  REQUIRE(mincore(reinterpret_cast<void*>(kHeapBase), bytes, resident.data()) == 0);
  std::size_t count = 0;
  for (const unsigned char flags : resident) count += flags & 1;
  return count;
}

std::vector<void*> fill(Heap& heap, Pool& pool, std::size_t bytes) {
  std::vector<void*> objects;
  while (void* object = heap.alloc(pool, bytes)) objects.push_back(object);
  return objects;
}

}  // namespace

TEST_CASE("a second heap, and a taken place, are refused with a text") {
  {
    TestHeap heap;
    auto second = Heap::create();
    REQUIRE_FALSE(static_cast<bool>(second));
    CHECK(second.error().text == "the heap already exists");
  }
  void* const place = mmap(granule_address(0), 4096, PROT_READ,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  REQUIRE(place == granule_address(0));
  auto refused = Heap::create();
  REQUIRE_FALSE(static_cast<bool>(refused));
  CHECK(refused.error().text.find("already in use") != std::string::npos);
  munmap(place, 4096);
  TestHeap works_again;
}

// Sanitizers reserve terabytes of their own, so no limit leaves room for them and not for the heap.
namespace {

// What create() reserves in a process with this `ulimit -v`, in gigabytes; 0: it refused, with a
// text.
int reserved_gigabytes_under(std::size_t limit_bytes) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{limit_bytes, limit_bytes};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(255);
    auto made = Heap::create();
    if (!made) _exit(made.error().text.find("ulimit -v") != std::string::npos ? 0 : 254);
    Pool* pool = (*made)->pool_new(1);
    if (pool == nullptr || (*made)->alloc(*pool, 1000) == nullptr) _exit(253);
    _exit(static_cast<int>((*made)->stats().reserved_bytes >> 30));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 252;
}

}  // namespace

TEST_CASE("a limit on addresses makes the heap smaller, and is named when it leaves too little" *
          doctest::skip(myr::base::kIsSanitized)) {
  CHECK(reserved_gigabytes_under(std::size_t{40} << 30) == 32);
  CHECK(reserved_gigabytes_under(std::size_t{2} << 30) == 1);
  CHECK(reserved_gigabytes_under(std::size_t{1} << 30) == 0);
}

TEST_CASE("running out ends in nullptr, and freed memory serves again") {
  for (const std::size_t bytes : {64u, 192u, 4096u, 5000u, 70'000u, 2'000'000u}) {
    CAPTURE(bytes);
    TestHeap heap(16 * kMegabyte);
    Pool* pool = heap->pool_new(1);
    const std::vector<void*> objects = fill(*heap.heap, *pool, bytes);
    CHECK(objects.size() * bytes > 10 * kMegabyte);
    CHECK(heap->alloc(*pool, bytes) == nullptr);
    for (void* object : objects) REQUIRE(heap->free(*pool, object) == FreeResult::Ok);
    CHECK(fill(*heap.heap, *pool, bytes).size() >= objects.size() * 9 / 10);
    heap->pool_free(pool);
    Pool* next = heap->pool_new(2);  // what one pool gave back serves any size in another
    CHECK(heap->alloc(*next, 8 * kMegabyte) != nullptr);
    heap->pool_free(next);
  }
}

TEST_CASE("bulk allocation is all or nothing") {
  TestHeap heap(8 * kMegabyte);
  Pool* pool = heap->pool_new(1);
  void* kept = heap->alloc(*pool, 64);
  std::vector<void*> out(10'000);
  CHECK_FALSE(heap->alloc_many(*pool, 1024, out.size(), out.data()));
  CHECK(pool->stats().object_count == 1);
  CHECK(heap->alloc_many(*pool, 1024, 1000, out.data()));
  CHECK(pool->stats().object_count == 1001);
  CHECK(heap->alloc_many(*pool, 1024, 0, nullptr));
  CHECK(heap->free(*pool, kept) == FreeResult::Ok);
  heap->pool_free(pool);
}

TEST_CASE("impossible sizes are refused, an empty object is one granule") {
  TestHeap heap;
  Pool* pool = heap->pool_new(1);
  CHECK(heap->alloc(*pool, ~std::size_t{0}) == nullptr);
  CHECK(heap->alloc(*pool, ~std::size_t{0} - 63) == nullptr);
  CHECK(heap->alloc(*pool, kHeapBytesMax) == nullptr);
  CHECK(heap->alloc(*pool, kHeapBytesMax + 1) == nullptr);
  void* empty = heap->alloc(*pool, 0);
  REQUIRE(empty != nullptr);
  CHECK(Heap::object_bytes(empty) == 64);
  heap->pool_free(pool);
}

TEST_CASE("no room for another pool ends in nullptr") {
  TestHeap heap(8 * kMegabyte);
  std::vector<Pool*> pools;
  while (Pool* pool = heap->pool_new(static_cast<std::uint32_t>(pools.size())))
    pools.push_back(pool);
  CHECK(pools.size() > 6 * 256 / kFirstSlabs.high);  // fewer slabs for the later ones
  for (Pool* pool : pools) REQUIRE(heap->alloc(*pool, 64) != nullptr);
  for (Pool* pool : pools) heap->pool_free(pool);
  Pool* again = heap->pool_new(1);
  CHECK(heap->alloc(*again, 4 * kMegabyte) != nullptr);
  heap->pool_free(again);
}

TEST_CASE("new regions get fewer slabs as addresses run out, and more again afterwards") {
  TestHeap heap(8 * kMegabyte);
  Pool* first = heap->pool_new(1);
  CHECK(first->stats().free_slabs == kFirstSlabs.high);
  Pool* big = heap->pool_new(2);
  while (heap->alloc(*big, 500'000) != nullptr) continue;
  Pool* poor = heap->pool_new(3);
  REQUIRE(poor != nullptr);
  CHECK(poor->stats().free_slabs == kFirstSlabs.low);
  heap->pool_free(big);
  Pool* rich = heap->pool_new(4);
  CHECK(rich->stats().free_slabs == kFirstSlabs.high);
  for (Pool* pool : {first, poor, rich}) heap->pool_free(pool);
}

TEST_CASE("a pool that shrinks gives pages back while it lives, but not with each breath") {
  TestHeap heap;
  Pool* pool = heap->pool_new(1);
  std::vector<void*> objects(20 * kMegabyte / 64);
  REQUIRE(heap->alloc_many(*pool, 64, objects.size(), objects.data()));
  const std::size_t pages_before = heap->stats().page_count;
  CHECK(pages_before >= 20);
  for (void* object : objects) REQUIRE(heap->free(*pool, object) == FreeResult::Ok);
  const std::size_t pages_after = heap->stats().page_count;
  CHECK(pages_after <= 10);
  for (int breath = 0; breath < 10; ++breath) {
    for (std::size_t i = 0; i < 1000; ++i) objects[i] = heap->alloc(*pool, 64);
    for (std::size_t i = 0; i < 1000; ++i) heap->free(*pool, objects[i]);
    CHECK(heap->stats().page_count == pages_after);
  }
  heap->pool_free(pool);
}

TEST_CASE("idle pages keep their memory until nobody has wanted them for a while" *
          doctest::test_suite("long")) {
  TestHeap heap;
  std::vector<Pool*> pools;
  const auto fill_all = [&] {
    pools.clear();
    for (std::uint32_t i = 0; i < 200; ++i) {
      pools.push_back(heap->pool_new(i));
      for (int page = 0; page < 4; ++page) {
        void* object = heap->alloc(*pools.back(), 250 * kSlabBytes);
        REQUIRE(object != nullptr);
        std::memset(object, 1, 250 * kSlabBytes);
      }
    }
  };
  const auto free_all = [&] {
    for (Pool* pool : pools) heap->pool_free(pool);
  };
  const auto committed = [&] { return heap->stats().committed_bytes; };
  constexpr std::uint64_t kSecond = 1'000'000'000;
  for (std::uint64_t now = 1; now < 4; ++now) {  // a step that needs it keeps it
    fill_all();
    free_all();
    heap->trim(now * kSecond);
    CHECK(committed() >= 800 * kMegabyte);
  }
  heap->trim(3 * kSecond + 1000);
  CHECK(committed() >= 800 * kMegabyte);
  heap->trim(5 * kSecond);
  CHECK(committed() <= 100 * kMegabyte);
  constexpr std::size_t kLooked = 1024 * kMegabyte;
  CHECK(resident_pages(kLooked) * 4096 <= 100 * kMegabyte);
}

TEST_CASE("of more idle pages than a heap keeps, the rest loses its memory at once") {
  TestHeap heap;
  Pool* pool = heap->pool_new(1);
  REQUIRE(heap->alloc(*pool, 900 * kMegabyte) != nullptr);
  REQUIRE(heap->alloc(*pool, 900 * kMegabyte) != nullptr);
  REQUIRE(heap->alloc(*pool, 1500 * kMegabyte) != nullptr);
  heap->pool_free(pool);
  const std::size_t committed = heap->stats().committed_bytes;
  CHECK(committed >= 1024 * kMegabyte);
  CHECK(committed <= 1040 * kMegabyte);
}

TEST_CASE("freeing a region takes as many steps for many objects as for few") {
  std::uint64_t steps[2];
  for (const bool many : {false, true}) {
    TestHeap heap;
    Pool* pool = heap->pool_new(1);
    const std::size_t bytes = many ? 64 : 62 * kSlabBytes;
    for (std::size_t used = 0; used < 10 * kMegabyte; used += bytes)
      REQUIRE(heap->alloc(*pool, bytes));
    const std::uint64_t before = heap->stats().closed_extents;
    heap->pool_free(pool);
    steps[many] = heap->stats().closed_extents - before;
  }
  CHECK(steps[true] <= steps[false] + 10);  // 160,000 objects against 42
  CHECK(steps[true] <= 20);
}
