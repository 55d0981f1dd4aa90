// SPDX-License-Identifier: Apache-2.0
//
// The regions of the process's machine whose tasks need not run any more. The machine knows what a
// task has to do with a region.
//
// Threads: any. Invariant: ids are never used again, so one that is here means a region that was
// cancelled. No id stays when its region is gone, also if both happen at once: a thread that
// cancels adds it, then looks whether the region is there still; one that frees ends the region,
// then looks what is here.
#pragma once

#include <cstdint>

#include "base/bits.hpp"
#include "sync/atomic.hpp"

namespace myr::sync {

// Written under the lock of the table, read as a hint; alone on its line.
struct alignas(base::kCacheLine) CancelledCount {
  Atomic<std::uint32_t> value{0};
};

class CancelledRegions {
 public:
  // Cost: a load of a line that changes only with what is here. A hint: a task that is about to
  // begin may miss what is cancelled just now.
  [[nodiscard]] static std::uint32_t count() noexcept { return count_.value.load(relaxed); }
  [[nodiscard]] static bool has_some() noexcept { return count() != 0; }
  static void add(std::uint64_t region);
  // The region has ended. Nothing if it is not here.
  static void remove(std::uint64_t region);
  static void clear();
  // In a forked child: others may hold the lock, and are not there.
  static void forget();
  // Cost: a lock.
  [[nodiscard]] static bool contains(std::uint64_t region);

 private:
  inline static constinit CancelledCount count_{};
};

}  // namespace myr::sync
