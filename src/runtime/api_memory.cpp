// SPDX-License-Identifier: Apache-2.0
//
// The memory calls of myr.h.
#include <algorithm>
#include <bit>
#include <vector>

#include "base/format.hpp"
#include "base/refusal.hpp"
#include "deps/blocks.hpp"
#include "engine/worker_calls.hpp"
#include "runtime/runtime.hpp"
#include "sync/made_objects.hpp"

using myr::engine::Worker;
using myr::runtime::context;
using myr::runtime::is_over;
using myr::runtime::with_memory;
using myr::sync::MadeObjects;

namespace {

// On a thread that is no worker's.
MYR_COLD void* allocate_elsewhere(std::size_t bytes, myr_region region, const myr_site* site) {
  void* object = nullptr;
  context(site).allocate(bytes, region, 1, &object, "myr_alloc", site);
  return object;
}

// Destructors may use what is still there.
MYR_COLD void destroy_made_in(myr_region region, const myr_site* site) {
  if (!MadeObjects::knows(region)) return;
  const myr_access all = myr_inout_region(region);
  myr_wait_at(&all, 1, site);
  MadeObjects::destroy_all_in(region);
}

MYR_INLINE void* allocate(std::size_t bytes, myr_region region, const myr_site* site) {
  if (Worker* worker = Worker::current(); MYR_LIKELY(worker != nullptr)) {
    return worker->allocate(bytes, region, "myr_alloc", site);
  }
  return allocate_elsewhere(bytes, region, site);
}

void* allocate_blocks(std::size_t bytes, std::size_t block_bytes, myr_region region,
                      const myr_site* site) {
  if (!myr::deps::is_block_size(block_bytes)) {
    myr::base::refuse(site, myr::base::format("myr_alloc_blocks: blocks of {} bytes; expected a "
                                              "power of two of at least {}",
                                              block_bytes, myr::deps::BlockedArray::kBlockMin));
  }
  const auto shift = static_cast<unsigned>(std::countr_zero(block_bytes));
  return context(site).allocate_blocks(bytes, shift, region, site);
}

}  // namespace

myr_region myr_region_new_at(myr_region parent, int level_hint, const myr_site* site) {
  myr_region region = MYR_NO_REGION;
  with_memory(site, [&] { region = context(site).new_region(parent, level_hint, site); });
  return region;
}

void myr_region_free_at(myr_region region, const myr_site* site) {
  if (region == MYR_NO_REGION) return;
  if (MadeObjects::has_some()) with_memory(site, [&] { destroy_made_in(region, site); });
  if (is_over()) return;
  myr::runtime::wait_at(
      site, [&] { with_memory(site, [&] { context(site).free_region(region, site); }); });
}

void myr_region_cancel_at(myr_region region, const myr_site* site) {
  with_memory(site, [&] { context(site).cancel_region(region, site); });
}

void myr_region_keep_here_at(myr_region region, const myr_site* site) {
  if (Worker::current() != nullptr) return;  // there is but one process
  with_memory(site, [&] { context(site).keep_region_here(region, site); });
}

void* myr_alloc_at(size_t bytes, myr_region region, const myr_site* site) {
  return with_memory(site, [&] { return allocate(bytes, region, site); });
}

void* myr_try_alloc_at(size_t bytes, size_t block_bytes, myr_region region, const myr_site* site) {
  return with_memory(
      site,
      [&]() -> void* {
        try {
          return block_bytes == 0 ? allocate(bytes, region, site)
                                  : allocate_blocks(bytes, block_bytes, region, site);
        } catch (const myr::base::Refusal& refusal) {
          if (refusal.kind == MYR_NO_MEMORY) return nullptr;
          throw;
        }
      },
      false);
}

void myr_alloc_many_at(size_t bytes, myr_region region, size_t count, void** objects,
                       const myr_site* site) {
  const bool is_done = with_memory(site, [&] {
    context(site).allocate(bytes, region, count, objects, "myr_alloc_many", site);
    return true;
  });
  if (!is_done) std::fill_n(objects, count, nullptr);
}

void* myr_alloc_blocks_at(size_t bytes, size_t block_bytes, myr_region region,
                          const myr_site* site) {
  return with_memory(site, [&] { return allocate_blocks(bytes, block_bytes, region, site); });
}

void* myr_realloc_at(void* object, size_t bytes, myr_region region, const myr_site* site) {
  if (object == nullptr) return myr_alloc_at(bytes, region, site);
  if (MadeObjects::has_some()) MadeObjects::remove(object);
  if (bytes != 0) {
    return with_memory(site, [&] { return context(site).reallocate(object, bytes, region, site); });
  }
  myr_free_at(object, site);
  return nullptr;
}

void myr_free_at(void* object, const myr_site* site) {
  if (object == nullptr) return;
  if (MadeObjects::has_some()) MadeObjects::remove(object);
  with_memory(site, [&] {
    if (Worker* worker = Worker::current(); MYR_LIKELY(worker != nullptr)) {
      worker->free(object, site);
    } else if (!is_over()) {
      context(site).free(object, site);
    }
  });
}

void myr_made_at(void* first, size_t count, myr_destructor destroy, myr_region region,
                 const myr_site* site) {
  with_memory(site, [&] {
    std::vector<myr_region> path{region};
    while (path.back() != MYR_ROOT && !MadeObjects::knows(path.back())) {
      path.push_back(context(site).region_around(path.back()));
    }
    MadeObjects::add(first, count, destroy, path, context(site).serial_place());
  });
}

void myr_destroy_at(void* first, myr_destructor destroy_one, const myr_site* site) {
  const myr_access whole = myr_inout(first);
  myr_wait_at(&whole, 1, site);
  if (!MadeObjects::destroy(first)) destroy_one(first, 1);
  myr_free_at(first, site);
}

void myr_publish_at(const void* first, size_t bytes, const myr_site* site) {
  with_memory(site, [&] { context(site).publish(first, bytes, site); });
}
