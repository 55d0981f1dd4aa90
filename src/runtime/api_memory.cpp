// SPDX-License-Identifier: Apache-2.0
//
// The memory calls of myr.h.
#include <bit>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "deps/blocks.hpp"
#include "engine/worker_calls.hpp"
#include "runtime/runtime.hpp"

using myr::engine::Worker;
using myr::runtime::context;
using myr::runtime::with_memory;

namespace {

// On a thread that is no worker's.
MYR_COLD void* allocate_elsewhere(std::size_t bytes, myr_region region, const myr_site* site) {
  void* object = nullptr;
  context(site).allocate(bytes, region, 1, &object, "myr_alloc", site);
  return object;
}

}  // namespace

myr_region myr_region_new_at(myr_region parent, int level_hint, const myr_site* site) {
  return context(site).new_region(parent, level_hint, site);
}

void myr_region_free_at(myr_region region, const myr_site* site) {
  context(site).free_region(region, site);
}

void myr_region_cancel_at(myr_region region, const myr_site* site) {
  myr::runtime::with_memory(site, [&] { context(site).cancel_region(region, site); });
}

void myr_region_keep_here_at(myr_region region, const myr_site* site) {
  if (Worker::current() != nullptr) return;  // there is but one process
  myr::runtime::with_memory(site, [&] { context(site).keep_region_here(region, site); });
}

void* myr_alloc_at(size_t bytes, myr_region region, const myr_site* site) {
  if (Worker* worker = Worker::current(); MYR_LIKELY(worker != nullptr)) {
    return worker->allocate(bytes, region, "myr_alloc", site);
  }
  return allocate_elsewhere(bytes, region, site);
}

void myr_alloc_many_at(size_t bytes, myr_region region, size_t count, void** objects,
                       const myr_site* site) {
  context(site).allocate(bytes, region, count, objects, "myr_alloc_many", site);
}

void* myr_alloc_blocks_at(size_t bytes, size_t block_bytes, myr_region region,
                          const myr_site* site) {
  if (!myr::deps::is_block_size(block_bytes)) {
    myr::base::misuse(site, myr::base::format("myr_alloc_blocks: blocks of {} bytes; expected a "
                                              "power of two of at least {}",
                                              block_bytes, myr::deps::BlockedArray::kBlockMin));
  }
  const auto shift = static_cast<unsigned>(std::countr_zero(block_bytes));
  return context(site).allocate_blocks(bytes, shift, region, site);
}

void* myr_realloc_at(void* object, size_t bytes, myr_region region, const myr_site* site) {
  if (object == nullptr) return myr_alloc_at(bytes, region, site);
  if (bytes != 0) return context(site).reallocate(object, bytes, region, site);
  myr_free_at(object, site);
  return nullptr;
}

void myr_free_at(void* object, const myr_site* site) {
  if (object == nullptr) return;
  if (Worker* worker = Worker::current(); MYR_LIKELY(worker != nullptr)) {
    worker->free(object, site);
  } else {
    context(site).free(object, site);
  }
}

void myr_share_at(const void* first, size_t bytes, const myr_site* site) {
  with_memory(site, [&] { context(site).share(first, bytes, site); });
}
