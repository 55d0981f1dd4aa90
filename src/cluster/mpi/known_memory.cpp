// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/known_memory.hpp"

#include "cluster/mpi/bytes.hpp"
#include "mem/heap.hpp"
#include "mem/slab_copies.hpp"
#include "plat/memory.hpp"

namespace myr::cluster::mpi {

using sync::relaxed;

namespace {

// For stamps, which begin anew after 2^32.
constexpr bool is_before(KnownMemory::Stamp a, KnownMemory::Stamp b) noexcept {
  return static_cast<std::int32_t>(a - b) < 0;
}

}  // namespace

KnownMemory::~KnownMemory() {
  if (entries_ == nullptr) return;
  plat::release(reinterpret_cast<std::uintptr_t>(entries_), mem::kSlabsMax * sizeof(Entry));
}

base::Result<bool> KnownMemory::start() {
  void* const entries = plat::map_lazily(mem::kSlabsMax * sizeof(Entry));
  if (entries == nullptr) return base::Error{"no memory: the system refused the tables of a job"};
  entries_ = static_cast<Entry*>(entries);
  return true;
}

bool KnownMemory::knows(const void* address, Stamp stamp) const noexcept {
  const Stamp found = entries_[mem::describing_slab(address)].stamp.load(relaxed);
  if (found != stamp && found != 0) return false;
  return mem::Heap::object_bytes(address) != 0 || mem::Heap::find_object(address).first != nullptr;
}

void KnownMemory::learn_regions(std::span<const std::uint64_t> regions) {
  for (std::size_t i = regions.size(); i-- > 1;) space_.add_known(regions[i - 1], regions[i]);
}

bool KnownMemory::learn_slabs(std::span<const std::byte> slabs, Stamp told, Stamp stamp) {
  bool is_new = true;
  for (const mem::SlabCopy& copy : read_all<mem::SlabCopy>(slabs)) {
    Entry& entry = entries_[copy.slab];
    if (is_before(told, entry.told)) {
      is_new = false;
      continue;
    }
    mem::enter_slab(copy);
    entry.told = told;
    entry.stamp.store(stamp, relaxed);
  }
  return is_new;
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
  const Stamp now = new_stamp();
  for (std::uint32_t slab = slabs.first; slab < slabs.end(); ++slab) {
    entries_[slab].told = now;
    entries_[slab].stamp.store(0, relaxed);
  }
}

void KnownMemory::object_freed(const void* object) {
  if (mem::Heap::object_bytes(object) == 0) return;
  entries_[mem::describing_slab(object)].told = new_stamp();
  mem::leave_object(object);
}

}  // namespace myr::cluster::mpi
