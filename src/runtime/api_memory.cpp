// SPDX-License-Identifier: Apache-2.0
//
// The memory calls of myr.h. Each checks that the calling task holds what it changes, waits for the
// caller's children that use it, then goes to the pool.

#include <cstring>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "graph/footprint.hpp"
#include "graph/resolve.hpp"
#include "mem/heap.hpp"
#include "runtime/runtime.hpp"

namespace myr::runtime {

namespace {

using deps::RegionIndex;
using engine::Worker;
using graph::Target;
using graph::TargetKind;
using mem::Heap;

graph::RegionSpace& space(Worker& worker) { return worker.engine().space(); }

RegionIndex find_region(Worker& worker, myr_region id, const char* call, const myr_site* site) {
  const RegionIndex region = space(worker).tree().find(id);
  if (region == deps::kNoRegion) {
    base::misuse(
        site, myr::base::format(
                  "{}: there is no region {:#x}: it was never created, or it is freed", call, id));
  }
  return region;
}

// The region, if the caller may allocate in it; after the children that might do so too.
RegionIndex region_to_change(Worker& worker, myr_region id, const char* call,
                             const myr_site* site) {
  const RegionIndex region = find_region(worker, id, call, site);
  const Target target{.kind = TargetKind::Region, .writes = true, .region = region};
  if (MYR_LIKELY(worker.task()->parent == nullptr) ||
      graph::cover(space(worker), *worker.task(), target).allowed) {
    worker.wait_for_region_writers(region, site);
    return region;
  }
  base::misuse(
      site, myr::base::format("{}: the calling task (spawned at {}) does not hold region {:#x} for "
                              "writing; declare it, or a region around it, as out or inout",
                              call, base::describe(worker.task()->site), id));
}

[[noreturn]] MYR_COLD void out_of_memory(const char* call, std::size_t bytes,
                                         const myr_site* site) {
  const mem::HeapStats stats = Heap::instance().stats();
  base::misuse(site, myr::base::format(
                         "{}: out of memory: {} bytes asked for, {} MiB of {} MiB address space "
                         "are in use",
                         call, bytes, stats.used_bytes >> 20, stats.reserved_bytes >> 20));
}

void* allocate(Worker& worker, RegionIndex region, std::size_t bytes, const char* call,
               const myr_site* site) {
  void* object = Heap::instance().alloc(space(worker).pool(region), bytes);
  if (MYR_UNLIKELY(object == nullptr)) out_of_memory(call, bytes, site);
  return object;
}

// The whole object that starts at `address`, if the caller may free it; after the tasks that use
// it.
Target object_to_free(Worker& worker, void* address, const char* call, const myr_site* site) {
  myr_access access = myr_inout(address);
  Target target;
  if (graph::resolve(space(worker), access, target) != graph::ResolveError::None) {
    base::misuse(
        site, myr::base::format("{}: no live object starts at {}: it is freed already, was never "
                                "allocated, or the pointer is into an object",
                                call, address));
  }
  if (!graph::may_free(space(worker), *worker.task(), target)) {
    base::misuse(site, myr::base::format(
                           "{}: the calling task (spawned at {}) does not hold a region around "
                           "the object for writing; a task cannot free its own argument",
                           call, base::describe(worker.task()->site)));
  }
  worker.wait_if_used(access, site);
  return target;
}

void free_object(Worker& worker, void* address, const char* call, const myr_site* site) {
  const Target target = object_to_free(worker, address, call, site);
  static_cast<void>(Heap::instance().free(space(worker).pool(target.region), address));
}

}  // namespace

}  // namespace myr::runtime

using namespace myr::runtime;  // NOLINT: the C calls below are this file's purpose
using myr::engine::Worker;

myr_region myr_region_new_at(myr_region parent, int level_hint, const myr_site* site) {
  Worker* const found = worker(site);
  if (found == nullptr) return seat().new_region(parent, level_hint, site);
  Worker& self = *found;
  const myr::deps::RegionIndex above = region_to_change(self, parent, "myr_region_new", site);
  const myr::deps::RegionIndex region = space(self).create_region(above);
  if (region == myr::deps::kNoRegion) out_of_memory("myr_region_new", 0, site);
  return space(self).tree().id_of(region);
}

void myr_region_free_at(myr_region region, const myr_site* site) {
  Worker* const found = worker(site);
  if (found == nullptr) {
    seat().free_region(region, site);
    return;
  }
  Worker& self = *found;
  const myr::deps::RegionIndex index = find_region(self, region, "myr_region_free", site);
  if (index == myr::deps::kRootRegion) {
    myr::base::misuse(site, "myr_region_free: region 0 is the root; it ends with the program");
  }
  const myr::graph::Target target{.kind = TargetKind::Region, .writes = true, .region = index};
  if (!myr::graph::may_free(space(self), *self.task(), target)) {
    myr::base::misuse(
        site, myr::base::format("myr_region_free: the calling task (spawned at {}) does not hold "
                                "a region around region {:#x} for writing; a task cannot free "
                                "its own argument",
                                myr::base::describe(self.task()->site), region));
  }
  self.wait_if_used(myr_inout_region(region), site);
  space(self).destroy_region(index);
}

void* myr_alloc_at(size_t bytes, myr_region region, const myr_site* site) {
  Worker* const found = worker(site);
  if (found == nullptr) {
    void* object = nullptr;
    seat().allocate(bytes, region, 1, &object, "myr_alloc", site);
    return object;
  }
  Worker& self = *found;
  const myr::deps::RegionIndex index = region_to_change(self, region, "myr_alloc", site);
  return bytes == 0 ? nullptr : allocate(self, index, bytes, "myr_alloc", site);
}

void myr_alloc_many_at(size_t bytes, myr_region region, size_t count, void** objects,
                       const myr_site* site) {
  Worker* const found = worker(site);
  if (found == nullptr) {
    seat().allocate(bytes, region, count, objects, "myr_alloc_many", site);
    return;
  }
  Worker& self = *found;
  const myr::deps::RegionIndex index = region_to_change(self, region, "myr_alloc_many", site);
  if (bytes == 0) {
    std::fill_n(objects, count, nullptr);
  } else if (!Heap::instance().alloc_many(space(self).pool(index), bytes, count, objects)) {
    out_of_memory("myr_alloc_many", bytes * count, site);
  }
}

void* myr_realloc_at(void* object, size_t bytes, myr_region region, const myr_site* site) {
  if (object == nullptr) return myr_alloc_at(bytes, region, site);
  if (bytes == 0) {
    myr_free_at(object, site);
    return nullptr;
  }
  Worker* const found = worker(site);
  if (found == nullptr) return seat().reallocate(object, bytes, region, site);
  Worker& self = *found;
  const myr::deps::RegionIndex index = region_to_change(self, region, "myr_realloc", site);
  const myr::graph::Target old = object_to_free(self, object, "myr_realloc", site);
  const std::size_t old_bytes = old.end - old.begin;
  if (index == old.region && bytes <= old_bytes && bytes + 64 > old_bytes) return object;
  void* moved = allocate(self, index, bytes, "myr_realloc", site);
  std::memcpy(moved, object, std::min<std::size_t>(bytes, old_bytes));
  static_cast<void>(Heap::instance().free(space(self).pool(old.region), object));
  return moved;
}

void myr_free_at(void* object, const myr_site* site) {
  if (object == nullptr) return;
  if (Worker* const self = worker(site)) {
    free_object(*self, object, "myr_free", site);
  } else {
    seat().free(object, "myr_free", site);
  }
}
