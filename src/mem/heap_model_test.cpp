// SPDX-License-Identifier: Apache-2.0
//
// Random use of several pools beside a model of std::map: objects never overlap, keep their
// contents, and every lookup agrees with the model.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "mem/heap.hpp"
#include "mem/test_heap.hpp"

using namespace myr::mem;

namespace {

struct Object {
  std::size_t bytes;
  std::uint32_t pool;
  unsigned char mark;
};

class Model {
 public:
  Model(Heap& heap, unsigned seed) : heap_(heap), random_(seed) {
    for (std::uint32_t i = 0; i < kPools; ++i) pools_.push_back(heap_.pool_new(i));
  }
  ~Model() {
    for (Pool* pool : pools_) heap_.pool_free(pool);
  }

  void step() {
    const std::uint32_t pool = random_() % kPools;
    const std::uint32_t choice = random_() % 1000;
    if (choice < 2) {
      renew(pool);
    } else if (choice < 20) {
      alloc_many(pool);
    } else if (choice < alloc_share_) {
      alloc(pool);
    } else if (choice < 990) {
      free_any();
    } else {
      alloc_share_ = 200 + random_() % 600;  // growing and shrinking phases
    }
  }

  void check_all() {
    std::vector<std::vector<Range>> ranges(kPools);
    std::vector<std::size_t> slot_bytes(kPools, 0);
    for (std::uint32_t i = 0; i < kPools; ++i) heap_.pack(*pools_[i], ranges[i]);
    for (const auto& [first, object] : objects_) {
      check(first, object);
      slot_bytes[object.pool] += Heap::object_bytes(first);
      REQUIRE(covered(ranges[object.pool], first, object.bytes));
    }
    for (std::uint32_t i = 0; i < kPools; ++i) {
      REQUIRE(pools_[i]->stats().object_bytes == slot_bytes[i]);
      std::size_t packed = 0;
      for (const Range& range : ranges[i]) packed += range.bytes;
      REQUIRE(pools_[i]->broken_invariant() == nullptr);
      const PoolStats stats = pools_[i]->stats();
      REQUIRE(packed == (stats.full_slabs + stats.partial_slabs) * kSlabBytes);
    }
  }

 private:
  static constexpr std::uint32_t kPools = 5;
  static constexpr std::size_t kMarkedBytes = 256;  // at the start of each object

  std::size_t random_bytes() {
    switch (random_() % 16) {
      case 0:
        return 1 + random_() % 70'000;
      case 1:
        return 1 + random_() % 3'000'000;
      case 2:
      case 3:
      case 4:
        return 1 + random_() % 9000;
      default:
        return 1 + random_() % 600;
    }
  }

  void enter(std::uint32_t pool, void* memory, std::size_t bytes) {
    REQUIRE(memory != nullptr);
    auto* first = static_cast<std::byte*>(memory);
    const auto above = objects_.lower_bound(first);
    if (above != objects_.end()) REQUIRE(first + bytes <= above->first);
    if (above != objects_.begin()) {
      const auto& [below_first, below] = *std::prev(above);
      REQUIRE(below_first + below.bytes <= first);
    }
    const auto mark = static_cast<unsigned char>(random_());
    std::memset(first, mark, std::min(bytes, kMarkedBytes));
    first[bytes - 1] = std::byte{mark};
    objects_[first] = {bytes, pool, mark};
  }

  void alloc(std::uint32_t pool) {
    const std::size_t bytes = random_bytes();
    enter(pool, heap_.alloc(*pools_[pool], bytes), bytes);
  }

  void alloc_many(std::uint32_t pool) {
    const std::size_t bytes = 1 + random_() % 9000;
    std::vector<void*> out(random_() % 200);
    REQUIRE(heap_.alloc_many(*pools_[pool], bytes, out.size(), out.data()));
    for (void* object : out) enter(pool, object, bytes);
  }

  void check(std::byte* first, const Object& object) {
    REQUIRE(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
    REQUIRE(Heap::owner_of(first) == object.pool);
    REQUIRE(Heap::owner_of(first + object.bytes - 1) == object.pool);
    const std::size_t slot = myr::base::round_up(object.bytes, 64);
    REQUIRE(Heap::object_bytes(first) == slot);
    const Range found = Heap::find_object(first + random_() % object.bytes);
    REQUIRE(found.first == first);
    REQUIRE(found.bytes == slot);
    const std::size_t marked = std::min(object.bytes, kMarkedBytes);
    REQUIRE(std::all_of(first, first + marked,
                        [&](std::byte b) { return b == std::byte{object.mark}; }));
    REQUIRE(first[object.bytes - 1] == std::byte{object.mark});
  }

  void free_any() {
    if (objects_.empty()) return;
    // A random address finds a random object: cheap, and good enough a spread.
    std::byte* const lowest = objects_.begin()->first;
    const std::size_t extent = static_cast<std::size_t>(objects_.rbegin()->first - lowest) + 1;
    auto at = objects_.lower_bound(lowest +
                                   std::uniform_int_distribution<std::size_t>(0, extent)(random_));
    if (at == objects_.end()) at = objects_.begin();
    auto [first, object] = *at;
    check(first, object);
    objects_.erase(at);
    REQUIRE(heap_.free(*pools_[(object.pool + 1) % kPools], first) == FreeResult::NotAnObject);
    REQUIRE(heap_.free(*pools_[object.pool], first) == FreeResult::Ok);
    REQUIRE(heap_.free(*pools_[object.pool], first) == FreeResult::AlreadyFree);
  }

  void renew(std::uint32_t pool) {
    heap_.pool_free(pools_[pool]);
    std::erase_if(objects_, [&](const auto& entry) { return entry.second.pool == pool; });
    pools_[pool] = heap_.pool_new(pool);
    REQUIRE(pools_[pool] != nullptr);
  }

  static bool covered(const std::vector<Range>& ranges, std::byte* first, std::size_t bytes) {
    for (const Range& range : ranges) {
      if (range.first <= first && first + bytes <= range.first + range.bytes) return true;
    }
    return false;
  }

  Heap& heap_;
  std::mt19937 random_;
  std::vector<Pool*> pools_;
  std::map<std::byte*, Object> objects_;
  std::uint32_t alloc_share_ = 600;
};

}  // namespace

TEST_CASE("random use agrees with the model") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  TestHeap heap;
  {
    Model model(*heap.heap, seed);
    for (int round = 0; round < 30; ++round) {
      for (int i = 0; i < 2000; ++i) model.step();
      model.check_all();
    }
  }
  CHECK(heap->stats().used_bytes == 0);
}
