// SPDX-License-Identifier: Apache-2.0
//
// KeptRegions: regions whose objects hold addresses of this process's memory, and regions around
// such: a task that names one of them runs here, as others would find only the bytes.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>

#include "deps/region_tree.hpp"
#include "myr/myr.h"
#include "sync/atomic.hpp"

namespace myr::cluster::mpi {

class KeptRegions {
 public:
  void add(std::uint64_t region) {
    const std::scoped_lock lock(lock_);
    kept_[deps::RegionTree::index_of(region)] = region;
    has_some_.store(true, sync::relaxed);
  }
  [[nodiscard]] bool has(std::uint64_t region) const {
    if (!has_some_.load(sync::relaxed)) return false;
    const std::scoped_lock lock(lock_);
    const auto found = kept_.find(deps::RegionTree::index_of(region));
    return found != kept_.end() && found->second == region;
  }
  // Must a task with these accesses run here?
  [[nodiscard]] bool keep(std::span<const myr_access> accesses) const {
    if (!has_some_.load(sync::relaxed)) return false;
    for (const myr_access& access : accesses) {
      if ((access.flags & (MYR_REGION | MYR_VALUE)) == MYR_REGION && has(access.region))
        return true;
    }
    return false;
  }

 private:
  // A thread that could look for a region has got its id from the one that has added it.
  sync::Atomic<bool> has_some_{false};
  mutable std::mutex lock_;
  // The id by the index, which a later region may get: so there are no more than regions.
  std::unordered_map<deps::RegionIndex, std::uint64_t> kept_;
};

}  // namespace myr::cluster::mpi
