// SPDX-License-Identifier: Apache-2.0
#include "mem/slab_copies.hpp"

#include <doctest/doctest.h>

#include "mem/test_heap.hpp"

using namespace myr::mem;

namespace {

// Some objects of different sizes, whose tables are copied, wiped, and entered again.
void check_copies(std::size_t bytes, std::size_t count) {
  TestHeap heap;
  Pool* const pool = heap->pool_new(5);
  std::vector<void*> objects(count);
  REQUIRE(heap->alloc_many(*pool, bytes, count, objects.data()));
  const std::size_t size = Heap::object_bytes(objects[0]);
  std::vector<SlabCopy> copies;
  while (Heap::owner_of(objects.back()) == 5) {  // each time what is left in a page
    for (void* const object : objects) {
      if (Heap::owner_of(object) != 5) continue;
      const std::vector<SlabCopy> some = copy_slabs(object);
      REQUIRE(!some.empty());
      for (const SlabCopy& copy : some) leave_slab(copy.slab);
      copies.insert(copies.end(), some.begin(), some.end());
    }
  }
  for (void* const object : objects) {
    CHECK(Heap::owner_of(object) == Heap::kNoOwner);
    CHECK(Heap::object_bytes(object) == 0);
    CHECK(copy_slabs(object).empty());
  }
  for (const SlabCopy& copy : copies) enter_slab(copy);
  for (void* const object : objects) {
    CHECK(Heap::owner_of(object) == 5);
    CHECK(Heap::object_bytes(object) == size);
    CHECK(Heap::find_object(static_cast<std::byte*>(object) + bytes / 2).first == object);
  }
}

}  // namespace

TEST_CASE("objects are found where copies of their slabs are entered") {
  check_copies(64, 1000);
  check_copies(1000, 3000);  // spans that cross the borders of slabs
  check_copies(100'000, 40);
  check_copies(std::size_t{5} << 20, 2);  // pages of their own
}

TEST_CASE("an object that has left is not found, and an empty span is nobody's") {
  TestHeap heap;
  Pool* const pool = heap->pool_new(5);
  void* const first = heap->alloc(*pool, 64);
  void* const second = heap->alloc(*pool, 64);
  leave_object(first);
  CHECK(Heap::object_bytes(first) == 0);
  CHECK(Heap::object_bytes(second) != 0);
  leave_object(second);
  CHECK(Heap::owner_of(second) == Heap::kNoOwner);
}

TEST_CASE("addresses of nobody have no copies") {
  TestHeap heap;
  int local = 0;
  CHECK(copy_slabs(&local).empty());
}
