// SPDX-License-Identifier: Apache-2.0
//
// A part of Worker: memory. Each call checks that the running task holds what it changes, waits
// for the task's children that use it, then goes to the pool.

#include <algorithm>

#include "base/bits.hpp"
#include "base/format.hpp"
#include "base/misuse.hpp"
#include "base/refusal.hpp"
#include "base/sanitizers.hpp"
#include "engine/access_check.hpp"
#include "engine/worker_calls.hpp"
#include "graph/footprint.hpp"

namespace myr::engine {

using deps::RegionIndex;
using graph::Target;
using graph::TargetKind;
using mem::Heap;

void Worker::report_no_memory(const char* call, std::size_t bytes, const myr_site* site) {
  const mem::HeapStats stats = Heap::instance().stats();
  base::refuse_memory(
      site, base::format("{}: out of memory: asked for {} bytes; {} of {} MiB of address space are "
                         "in use. Free some objects or regions, or raise the limit (ulimit -v)",
                         call, bytes, stats.used_bytes >> 20, stats.reserved_bytes >> 20));
}

namespace {

[[noreturn]] MYR_COLD void report_no_region(const myr_site* site) {
  const mem::HeapStats stats = Heap::instance().stats();
  base::refuse_memory(
      site, base::format("myr_region_new: no room for another region: at most {} may exist at a "
                         "time, and {} of {} MiB of address space are in use. Free some regions",
                         graph::RegionSpace::kRegionsMax - 1, stats.used_bytes >> 20,
                         stats.reserved_bytes >> 20));
}

}  // namespace

RegionIndex Worker::find_region(myr_region id, const char* call, const myr_site* site) {
  const RegionIndex region = space().tree().find(id);
  if (MYR_LIKELY(region != deps::kNoRegion)) return region;
  reject_region(id, call, site);
}

RegionIndex Worker::region_to_change(myr_region id, const char* call, const myr_site* site) {
  RegionIndex region = find_region(id, call, site);
  if (region == deps::kRootRegion) region = graph::region_zero_of(space(), *task_);
  const Target target{.kind = TargetKind::Region, .writes = true, .region = region};
  if (MYR_LIKELY(task_->parent == nullptr) || graph::cover(space(), *task_, target).allowed) {
    wait_for_region_writers(region, site);
    return region;
  }
  base::refuse(site,
               base::format("{}: the calling task (spawned at {}) does not hold region {:#x} for "
                            "writing; declare it, or a region around it, as out or inout",
                            call, base::describe(task_->site), id));
}

Target Worker::object_to_free(void* address, const char* call, const myr_site* site) {
  myr_access access = myr_inout(address);
  Target target;
  if (graph::resolve(space(), access, target) != graph::ResolveError::None) {
    base::refuse(site, base::format("{}: no live object starts at {}: it has been freed, was never "
                                    "allocated, or the pointer points into the middle of an object",
                                    call, address));
  }
  if (!graph::may_free(space(), *task_, target)) {
    base::refuse(
        site,
        base::format("{}: the calling task (spawned at {}) holds no region around the object for "
                     "writing; declare one as out or inout (a task cannot free its own argument)",
                     call, base::describe(task_->site)));
  }
  return target;
}

RegionIndex Worker::region_to_free(myr_region region, const myr_site* site) {
  const RegionIndex index = find_region(region, "myr_region_free", site);
  if (index == deps::kRootRegion) {
    base::refuse(site,
                 "myr_region_free: region 0 is the root region and cannot be freed; it lasts until "
                 "the program ends");
  }
  const Target target{.kind = TargetKind::Region, .writes = true, .region = index};
  if (!graph::may_free(space(), *task_, target)) {
    base::refuse(
        site,
        base::format(
            "myr_region_free: the calling task (spawned at {}) holds no region around region {:#x} "
            "for writing; declare one as out or inout (a task cannot free its own argument)",
            base::describe(task_->site), region));
  }
  return index;
}

void Worker::wait_if_used(const myr_access& access, const myr_site* site) {
  const bool has_children = task_->interior != nullptr && task_->interior->live() != 0;
  Checker* const checker = engine_.options().checker;
  if (has_children || checker != nullptr) wait(&access, 1, site);
  if (checker != nullptr) checker->freed(access.address, site);
}

void Worker::wait_for_region_writers(deps::RegionIndex region, const myr_site* site) {
  if (task_->interior == nullptr || task_->interior->live() == 0) return;
  complete_domain();
  const deps::RegionTree& tree = engine_.space().tree();
  if (!task_->interior->domain.has_region_writer(tree, region)) return;
  const myr_access access = myr_inout_region(tree.id_of(region));
  wait(&access, 1, site);
}

// ---- the calls ---------------------------------------------------------------------------------

myr_region Worker::new_region(myr_region parent, int, const myr_site* site) {
  const RegionIndex above = region_to_change(parent, "myr_region_new", site);
  const RegionIndex region = space().create_region(above);
  if (region == deps::kNoRegion) report_no_region(site);
  return space().tree().id_of(region);
}

void Worker::free_region(myr_region region, const myr_site* site) {
  const RegionIndex index = region_to_free(region, site);
  wait_if_used(myr_inout_region(region), site);
  changeable_ = {};  // it may be inside
  space().destroy_region(index);
}

myr_region Worker::region_around(myr_region region) {
  return engine_.space().tree().around(region);
}

void Worker::tell_allocated(const void* object, std::size_t bytes, const myr_site* site) {
  Checker* const checker = engine_.options().checker;
  if (checker == nullptr) return;
  checker->allocated(object, bytes, std::max(bytes, Heap::find_object(object).bytes), site);
}

void* Worker::allocate_in(RegionIndex region, std::size_t bytes, unsigned block_shift,
                          const char* call, const myr_site* site) {
  mem::Pool& pool = space().pool(region);
  void* object =
      block_shift == 0 ? Heap::alloc(pool, bytes) : Heap::alloc_blocks(pool, bytes, block_shift);
  if (object == nullptr) report_no_memory(call, bytes, site);
  tell_allocated(object, bytes, site);
  return object;
}

void* Worker::allocate_slow(std::size_t bytes, myr_region region, const char* call,
                            const myr_site* site) {
  const RegionIndex index = region_to_change(region, call, site);
  if (engine_.options().checker == nullptr) {  // which sees each object
    changeable_ = {
        .task = task_, .steps = step_count(), .region = region, .pool = &space().pool(index)};
  }
  return bytes == 0 ? nullptr : allocate_in(index, bytes, 0, call, site);
}

void* Worker::allocate_blocks(std::size_t bytes, unsigned block_shift, myr_region region,
                              const myr_site* site) {
  const RegionIndex index = region_to_change(region, "myr_alloc_blocks", site);
  return bytes == 0 ? nullptr : allocate_in(index, bytes, block_shift, "myr_alloc_blocks", site);
}

void Worker::allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                      const char* call, const myr_site* site) {
  const RegionIndex index = region_to_change(region, call, site);
  if (bytes == 0) {
    std::fill_n(objects, count, nullptr);
  } else if (!Heap::instance().alloc_many(space().pool(index), bytes, count, objects)) {
    report_no_memory(call, base::saturated_product(bytes, count), site);
  } else {
    std::for_each_n(objects, count, [&](void* object) { tell_allocated(object, bytes, site); });
  }
}

void* Worker::reallocate(void* object, std::size_t bytes, myr_region region, const myr_site* site) {
  constexpr std::size_t kSlack = 64;  // as much less is no reason to move
  const RegionIndex index = region_to_change(region, "myr_realloc", site);
  const Target old = object_to_free(object, "myr_realloc", site);
  wait_if_used(myr_inout(object), site);
  const std::size_t old_bytes = old.end - old.begin;
  if (index == old.region && bytes <= old_bytes && bytes + kSlack > old_bytes) {
    tell_allocated(object, bytes, site);
    return object;
  }
  void* moved = allocate_in(index, bytes, old.block_shift, "myr_realloc", site);
  base::copy_untold(moved, object, std::min(bytes, old_bytes));
  free_target(old, object);
  return moved;
}

}  // namespace myr::engine
