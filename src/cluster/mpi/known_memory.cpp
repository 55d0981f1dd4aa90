// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/known_memory.hpp"

#include <cstring>
#include <vector>

#include "mem/heap.hpp"
#include "mem/slab_copies.hpp"
#include "plat/memory.hpp"

namespace myr::cluster::mpi {

using sync::relaxed;

namespace {

constexpr std::size_t kStampBytes = mem::kSlabsMax * sizeof(sync::Atomic<KnownMemory::Stamp>);

}  // namespace

KnownMemory::~KnownMemory() {
  if (stamps_ != nullptr) plat::release(reinterpret_cast<std::uintptr_t>(stamps_), kStampBytes);
}

base::Result<bool> KnownMemory::start() {
  void* const stamps = plat::map_lazily(kStampBytes);
  if (stamps == nullptr) return base::Error{"no memory: the system refused the tables of a job"};
  stamps_ = static_cast<sync::Atomic<Stamp>*>(stamps);
  return true;
}

bool KnownMemory::knows(const void* address, Stamp stamp) const noexcept {
  const Stamp found = stamp_of(mem::describing_slab(address)).load(relaxed);
  if (found != stamp && found != 0) return false;
  return mem::Heap::object_bytes(address) != 0 || mem::Heap::find_object(address).first != nullptr;
}

void KnownMemory::learn(std::span<const std::uint64_t> regions, std::span<const std::byte> slabs,
                        Stamp stamp) {
  for (std::size_t i = regions.size(); i-- > 1;) space_.add_known(regions[i - 1], regions[i]);
  std::vector<mem::SlabCopy> copies(slabs.size() / sizeof(mem::SlabCopy));
  if (!slabs.empty()) std::memcpy(copies.data(), slabs.data(), slabs.size());
  for (const mem::SlabCopy& copy : copies) {
    mem::enter_slab(copy);
    stamp_of(copy.slab).store(stamp, relaxed);
  }
}

void KnownMemory::leave(const mem::PoolPart& part) {
  // What has an entry: each slab of a span, the first of a huge object.
  const std::uint32_t count = part.kind == mem::PoolPart::Kind::Huge ? 1 : part.count;
  for (std::uint32_t i = 0; i < count; ++i) mem::leave_slab(part.first + i);
}

void KnownMemory::forget(proto::PageRun pages) {
  const auto first = static_cast<std::uint32_t>(pages.first - mem::kHeapBase / mem::kPageBytes);
  const mem::Extent all{first, static_cast<std::uint32_t>(pages.count)};
  mem::leave_pages(all);
  const mem::Extent slabs = mem::slabs_of_pages(all);
  for (std::uint32_t slab = slabs.first; slab < slabs.end(); ++slab) {
    stamp_of(slab).store(0, relaxed);
  }
}

void KnownMemory::object_freed(const void* object) {
  if (mem::Heap::object_bytes(object) != 0) mem::leave_object(object);
}

}  // namespace myr::cluster::mpi
