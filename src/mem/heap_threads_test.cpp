// SPDX-License-Identifier: Apache-2.0
//
// Pools in several threads at once, and lookups beside them. For ThreadSanitizer as much as for the
// checks.
#include <doctest/doctest.h>

#include <random>
#include <thread>
#include <vector>

#include "mem/heap.hpp"
#include "mem/test_heap.hpp"
#include "sync/atomic.hpp"

using namespace myr::mem;

namespace {

// Makes and frees regions, with all sizes of objects, and leaves one pool for another thread to
// free.
Pool* churn(Heap& heap, std::uint32_t owner, unsigned seed) {
  std::mt19937 random(seed);
  Pool* pool = heap.pool_new(owner);
  for (int round = 0; round < 60; ++round) {
    std::vector<void*> objects;
    for (int i = 0; i < 300; ++i) {
      const std::size_t bytes = random() % 40 == 0 ? random() % 2'000'000 : random() % 3000;
      objects.push_back(heap.alloc(*pool, bytes));
      *static_cast<std::uint32_t*>(objects.back()) = owner;
    }
    for (void* object : objects) {
      if (*static_cast<std::uint32_t*>(object) != owner || Heap::owner_of(object) != owner)
        return nullptr;
      if (random() % 3 != 0 && heap.free(*pool, object) != FreeResult::Ok) return nullptr;
    }
    if (round % 8 == 7) {
      heap.pool_free(pool);
      pool = heap.pool_new(owner);
    }
  }
  return pool;
}

}  // namespace

TEST_CASE("threads with pools of their own do not meet") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  TestHeap heap;
  constexpr std::uint32_t kThreads = 4;
  Pool* left[kThreads] = {};
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] { left[i] = churn(*heap.heap, i, seed + i); });
    }
  }
  for (Pool* pool : left) {
    REQUIRE(pool != nullptr);
    heap->pool_free(pool);  // not the thread that made it
  }
  CHECK(heap->stats().used_bytes == 0);
}

TEST_CASE("lookups run beside a pool's user") {
  TestHeap heap;
  Pool* pool = heap->pool_new(3);
  std::vector<void*> stay(500);
  REQUIRE(heap->alloc_many(*pool, 192, stay.size(), stay.data()));
  myr::sync::Atomic<bool> done{false};
  bool agreed = true;
  std::jthread reader([&] {
    while (!done.load(myr::sync::acquire)) {
      for (void* object : stay) {
        agreed = agreed && Heap::owner_of(object) == 3 && Heap::object_bytes(object) == 192 &&
                 Heap::find_object(static_cast<std::byte*>(object) + 100).first == object;
      }
    }
  });
  for (int round = 0; round < 200; ++round) {
    std::vector<void*> come_and_go(500);
    REQUIRE(heap->alloc_many(*pool, 192, come_and_go.size(), come_and_go.data()));
    for (void* object : come_and_go) REQUIRE(heap->free(*pool, object) == FreeResult::Ok);
  }
  done.store(true, myr::sync::release);
  reader.join();
  CHECK(agreed);
  heap->pool_free(pool);
}
