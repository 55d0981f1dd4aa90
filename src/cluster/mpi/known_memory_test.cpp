// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/known_memory.hpp"

#include <doctest/doctest.h>

#include <memory>

#include "mem/heap.hpp"
#include "mem/slab_copies.hpp"

using namespace myr::cluster::mpi;
using myr::graph::RegionSpace;
using myr::mem::Heap;

namespace {

// What a store says of an object in a new region of that number, which is gone when it has said it:
// so the next one lies at the same place.
struct Told {
  Told(std::uint32_t region, std::size_t bytes) {
    myr::mem::Pool* const pool = Heap::instance().pool_new(region);
    object = Heap::instance().alloc(*pool, bytes);
    copies = myr::mem::copy_slabs(object);
    Heap::instance().pool_free(pool);
    for (const auto& copy : copies) myr::mem::leave_slab(copy.slab);
  }
  void learn(KnownMemory& memory, KnownMemory::Stamp stamp) const {
    CHECK(learn_late(memory, memory.new_stamp(), stamp));
  }
  // It came at `told`.
  [[nodiscard]] bool learn_late(KnownMemory& memory, KnownMemory::Stamp told,
                                KnownMemory::Stamp stamp) const {
    return memory.learn_slabs(std::as_bytes(std::span(copies)), told, stamp);
  }

  void* object = nullptr;
  std::vector<myr::mem::SlabCopy> copies;
};

struct Process {
  Process() {
    REQUIRE(Heap::create());
    auto made = RegionSpace::create_for_agents();
    REQUIRE(made);
    space = std::move(*made);
    memory = std::make_unique<KnownMemory>(*space);
    REQUIRE(memory->start());
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() { Heap::instance().destroy(); }

  std::unique_ptr<RegionSpace> space;
  std::unique_ptr<KnownMemory> memory;
};

constexpr std::uint32_t kRegion = 7;

}  // namespace

TEST_CASE("what an owner has told is found by who has asked, and by nobody else") {
  const Process process;
  KnownMemory& memory = *process.memory;
  const Told told(kRegion, 100);
  const KnownMemory::Stamp mine = memory.new_stamp();
  const KnownMemory::Stamp others = memory.new_stamp();
  CHECK_FALSE(memory.knows(told.object, mine));
  told.learn(memory, mine);
  CHECK(memory.knows(told.object, mine));
  CHECK(Heap::owner_of(told.object) == kRegion);
  CHECK_FALSE(memory.knows(told.object, others));
  told.learn(memory, others);
  CHECK(memory.knows(told.object, others));
  CHECK_FALSE(memory.knows(told.object, mine));
}

TEST_CASE("regions are known for ever") {
  const Process process;
  constexpr std::uint64_t kLife = std::uint64_t{2} << 32;
  const std::vector<std::uint64_t> chain{kLife | kRegion, kLife | 3, 0};
  process.memory->learn_regions(chain);
  CHECK(process.space->tree().find(chain[0]) == kRegion);
  CHECK(process.space->tree().encloses(3, kRegion));
  CHECK_FALSE(process.space->tree().encloses(kRegion, 3));
}

TEST_CASE("a region that is heard of late does not take the place of the next one") {
  const Process process;
  const auto region = [](std::uint64_t life) { return life << 32 | kRegion; };
  const std::uint64_t around = std::uint64_t{2} << 32 | 3;
  const auto& tree = process.space->tree();
  const auto learn = [&](std::vector<std::uint64_t> chain) {
    process.memory->learn_regions(chain);
  };
  learn({region(4), around, 0});
  learn({region(2), 0});
  CHECK(tree.find(region(4)) == kRegion);
  CHECK(tree.parent(kRegion) == 3);
  process.space->bury(kRegion);
  learn({region(4), around, 0});
  CHECK(tree.find(region(4)) == myr::deps::kNoRegion);
  learn({region(6), 0});
  CHECK(tree.find(region(6)) == kRegion);
  CHECK(tree.parent(kRegion) == 0);
}

TEST_CASE("what was told before a place changed is refused") {
  const Process process;
  KnownMemory& memory = *process.memory;
  const Told old(kRegion, 100);
  const KnownMemory::Stamp early = memory.new_stamp();
  const KnownMemory::Stamp mine = memory.new_stamp();
  const KnownMemory::Stamp others = memory.new_stamp();
  SUBCASE("another thread has heard what is there now") {
    const Told present(kRegion + 1, 10'000);
    REQUIRE(present.copies.front().slab == old.copies.front().slab);
    present.learn(memory, mine);
    CHECK_FALSE(old.learn_late(memory, early, others));
    CHECK(memory.knows(present.object, mine));
    CHECK(Heap::owner_of(present.object) == kRegion + 1);
  }
  SUBCASE("it was freed") {
    old.learn(memory, mine);
    memory.object_freed(old.object);
    CHECK_FALSE(old.learn_late(memory, early, mine));
    CHECK_FALSE(memory.knows(old.object, mine));
  }
  SUBCASE("it was lent") {
    const auto page = reinterpret_cast<std::uintptr_t>(old.object) / myr::mem::kPageBytes;
    memory.forget({.first = page, .count = 1});
    CHECK_FALSE(old.learn_late(memory, early, mine));
    CHECK(Heap::owner_of(old.object) == Heap::kNoOwner);
  }
  CHECK(old.learn_late(memory, memory.new_stamp(), others));  // whoever asks again
  CHECK(memory.knows(old.object, others));
}

TEST_CASE("a place that has become another object's is learnt anew") {
  const std::size_t sizes[] = {100, 10'000, 200'000, std::size_t{3} << 20};
  for (const std::size_t before : sizes) {
    for (const std::size_t after : sizes) {
      const Process process;
      KnownMemory& memory = *process.memory;
      const Told old(kRegion, before);
      old.learn(memory, memory.new_stamp());
      for (const auto& copy : old.copies) myr::mem::leave_slab(copy.slab);  // the owner's
      const Told present(kRegion + 1, after);
      old.learn(memory, memory.new_stamp());
      const KnownMemory::Stamp stamp = memory.new_stamp();
      present.learn(memory, stamp);
      CHECK(memory.knows(present.object, stamp));
      CHECK(Heap::owner_of(present.object) == kRegion + 1);
      auto* const inside = static_cast<std::byte*>(present.object) + after / 64 * 64 - 64;
      CHECK(memory.knows(inside, stamp));
      CHECK(Heap::owner_of(inside) == kRegion + 1);
      CHECK(Heap::find_object(inside).first == present.object);
    }
  }
}

TEST_CASE("where a shorter object has taken a longer one's place, nobody's is behind it") {
  for (const std::size_t before : {std::size_t{10'000}, std::size_t{3} << 20}) {
    for (const std::size_t after : {std::size_t{100}, std::size_t{2'000}}) {
      const Process process;
      KnownMemory& memory = *process.memory;
      const KnownMemory::Stamp stamp = memory.new_stamp();
      const Told old(kRegion, before);
      Told present(kRegion + 1, after);
      myr::mem::SlabCopy& copy = present.copies.front();
      copy.slab = old.copies.front().slab;
      copy.first_offset = old.copies.front().first_offset;
      old.learn(memory, stamp);
      present.learn(memory, stamp);
      CHECK(Heap::owner_of(old.object) == kRegion + 1);
      auto* const behind = static_cast<std::byte*>(old.object) + before - 64;
      CHECK_FALSE(memory.knows(behind, stamp));
      CHECK(Heap::find_object(behind).first == nullptr);
    }
  }
}

TEST_CASE("what is freed, or in pages that are lent, is not known any more") {
  const Process process;
  KnownMemory& memory = *process.memory;
  const KnownMemory::Stamp stamp = memory.new_stamp();
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{3} << 20}) {
    const Told told(kRegion, bytes);
    told.learn(memory, stamp);
    memory.object_freed(told.object);
    CHECK_FALSE(memory.knows(told.object, stamp));
    CHECK(Heap::owner_of(told.object) == Heap::kNoOwner);  // its span is empty

    told.learn(memory, stamp);
    const auto page = reinterpret_cast<std::uintptr_t>(told.object) / myr::mem::kPageBytes;
    memory.forget({.first = page, .count = 3});
    CHECK_FALSE(memory.knows(told.object, stamp));
    CHECK(Heap::owner_of(told.object) == Heap::kNoOwner);
  }
}
