// SPDX-License-Identifier: Apache-2.0
//
// Objects of the process's machine that have destructors, by the regions that they are in: so they
// are destroyed when a region around them is freed.
//
// Threads: any; one lock. Destructors are called without it: they may free other objects and
// regions, also some of those that are about to be destroyed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/serial_place.hpp"
#include "myr/myr.h"
#include "sync/atomic.hpp"

namespace myr::sync {

class MadeObjects {
 public:
  // Is any here? Cost: a load.
  [[nodiscard]] static bool has_some() noexcept { return count_.load(relaxed) != 0; }
  // Is the region, or one in it, one in which objects were added?
  [[nodiscard]] static bool knows(myr_region region);
  // `path`: the region of the object, the one around that, and so on, up to one that is known, or
  // the root. `place`: that of the task that has made it.
  static void add(void* first, std::size_t count, myr_destructor destroy,
                  std::span<const myr_region> path, base::SerialPlace place);
  // It is going to be freed by itself.
  static void remove(void* first);
  // False: it is not here.
  [[nodiscard]] static bool destroy(void* first);
  // Those in the region and in all that are in it; the last that the serial program makes is the
  // first. Among different roots, the last that was added.
  static void destroy_all_in(myr_region region);

  // They are gone with the machine.
  static void clear();
  // In a forked child: others may hold the lock, and are not there.
  static void forget();

 private:
  // Written under the lock, read as a hint.
  inline static constinit Atomic<std::uint64_t> count_{0};
};

}  // namespace myr::sync
