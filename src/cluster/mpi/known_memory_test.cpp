// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/known_memory.hpp"

#include <doctest/doctest.h>

#include <memory>

#include "mem/heap.hpp"
#include "mem/slab_copies.hpp"

using namespace myr::cluster::mpi;
using myr::graph::RegionSpace;
using myr::mem::Heap;
using Range = KnownMemory::Range;

namespace {

// An object, and what a store says of it; then this process knows nothing of it.
class Told {
 public:
  Told() {
    REQUIRE(Heap::create());
    auto made = RegionSpace::create_for_agents();
    REQUIRE(made);
    space = std::move(*made);
    object = Heap::instance().alloc(*Heap::instance().pool_new(kRegion), 100);
    copies = myr::mem::copy_slabs(object);
    for (const auto& copy : copies) myr::mem::leave_slab(copy.slab);
  }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;
  ~Told() { Heap::instance().destroy(); }

  [[nodiscard]] bool is_known() const { return Heap::object_bytes(object) != 0; }
  Range learn(KnownMemory& memory) const {
    return memory.learn(chain, std::as_bytes(std::span(copies)));
  }

  static constexpr std::uint32_t kRegion = 7;
  static constexpr std::uint64_t kLife = std::uint64_t{2} << 32;
  const std::vector<std::uint64_t> chain{kLife | kRegion, kLife | 3, 0};
  std::unique_ptr<RegionSpace> space;
  void* object = nullptr;
  std::vector<myr::mem::SlabCopy> copies;
};

}  // namespace

TEST_CASE("what an owner has told is found, until nobody holds it") {
  const Told told;
  KnownMemory memory(*told.space);
  CHECK_FALSE(told.is_known());
  const Range range = told.learn(memory);
  CHECK(told.is_known());
  CHECK(Heap::owner_of(told.object) == Told::kRegion);
  CHECK(told.space->tree().find(told.chain[0]) == Told::kRegion);
  CHECK(told.space->tree().encloses(3, Told::kRegion));
  CHECK_FALSE(told.space->tree().encloses(Told::kRegion, 3));

  const Range all{myr::mem::kHeapBase, std::uint64_t{64} << 20};
  memory.hold(all);
  memory.let_go(range);
  CHECK(told.is_known());
  memory.let_go(all);
  CHECK_FALSE(told.is_known());
  CHECK(memory.known_count() == 0);
}

TEST_CASE("ranges that are held overlap in any way") {
  const Told told;
  KnownMemory memory(*told.space);
  const Range range = told.learn(memory);
  constexpr std::uint64_t kPage = std::uint64_t{1} << 20;
  const std::uint64_t page = range.address / kPage * kPage;
  const Range parts[] = {{page, kPage}, {page - kPage, 2 * kPage}, {page, 3 * kPage}, {range}};
  for (const Range& part : parts) memory.hold(part);
  memory.let_go(range);
  for (const Range& part : parts) {
    CHECK(told.is_known());
    memory.let_go(part);
  }
  CHECK_FALSE(told.is_known());
}

TEST_CASE("what is freed is not known any more") {
  const Told told;
  KnownMemory memory(*told.space);
  const Range range = told.learn(memory);
  memory.object_freed(told.object);
  CHECK_FALSE(told.is_known());
  CHECK(Heap::owner_of(told.object) == Heap::kNoOwner);  // its span is empty
  memory.let_go(range);

  static_cast<void>(told.learn(memory));
  memory.region_freed(3);  // around it
  CHECK_FALSE(told.is_known());
  CHECK(told.space->tree().find(told.chain[1]) == myr::deps::kNoRegion);
}
