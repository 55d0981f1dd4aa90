// SPDX-License-Identifier: Apache-2.0
//
// What the tests of this folder share: a heap for one test, and the seed of random tests.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

#include "mem/heap.hpp"

namespace myr::mem {

// The heap of one test case.
struct TestHeap {
  Heap* heap = nullptr;
  explicit TestHeap(std::size_t reserve_bytes = kHeapBytesMax) {
    base::Result<Heap*> made = Heap::create({.reserve_bytes = reserve_bytes});
    if (!made) FAIL(made.error().text);
    heap = *made;
  }
  ~TestHeap() { heap->destroy(); }
  TestHeap(const TestHeap&) = delete;
  TestHeap& operator=(const TestHeap&) = delete;
  Heap* operator->() const { return heap; }
};

// A new seed for each run; MYR_TEST_SEED=N replays one. Tests CAPTURE it.
inline unsigned test_seed() {
  const char* text = std::getenv("MYR_TEST_SEED");
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10))
                         : std::random_device{}();
}

}  // namespace myr::mem
