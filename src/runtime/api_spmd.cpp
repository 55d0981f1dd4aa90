// SPDX-License-Identifier: Apache-2.0
//
// The calls of spmd.h.
#include "base/format.hpp"
#include "base/misuse.hpp"
#include "myr/spmd.h"
#include "runtime/runtime.hpp"

using myr::runtime::with_memory;

namespace {

myr::base::SpmdCalls& spmd_calls(const char* call, const myr_site* site) {
  myr::base::SpmdCalls* const calls = myr::runtime::context(site).spmd();
  if (calls == nullptr) {
    myr::base::misuse(
        site, myr::base::format("{}: on this machine one process runs main; start it as an SPMD "
                                "program, for example `myr run --on spmd:1+4 PROGRAM`",
                                call));
  }
  return *calls;
}

}  // namespace

void myr_spmd_send_at(unsigned worker, const myr_region* regions, size_t region_count,
                      void* const* objects, size_t object_count, const myr_site* site) {
  with_memory(site, [&] {
    spmd_calls("myr_spmd_send", site)
        .send(worker, {regions, region_count}, {objects, object_count}, site);
  });
}

void myr_spmd_receive_at(unsigned worker, myr_region* regions, size_t region_count, void** objects,
                         size_t object_count, const myr_site* site) {
  with_memory(site, [&] {
    spmd_calls("myr_spmd_receive", site)
        .receive(worker, {regions, region_count}, {objects, object_count}, site);
  });
}

void myr_spmd_exchange_at(unsigned worker, const myr_region* regions, size_t region_count,
                          void* const* objects, size_t object_count, myr_region* their_regions,
                          size_t their_region_count, void** their_objects,
                          size_t their_object_count, const myr_site* site) {
  with_memory(site, [&] {
    spmd_calls("myr_spmd_exchange", site)
        .exchange(worker, {regions, region_count}, {objects, object_count},
                  {their_regions, their_region_count}, {their_objects, their_object_count}, site);
  });
}

void myr_spmd_barrier_at(const myr_site* site) { spmd_calls("myr_spmd_barrier", site).barrier(); }

unsigned myr_spmd_rank_at(unsigned worker, const myr_site* site) {
  return spmd_calls("myr_spmd_rank", site).rank_of(worker, site);
}
