// SPDX-License-Identifier: Apache-2.0
//
// SerialPlace: where in the serial program a task is that runs: what comes earlier there has a
// smaller place, on every machine and in every schedule.
#pragma once

#include <cstdint>
#include <vector>

namespace myr::base {

struct SerialPlace {
  // Main, or a thread of the program's own: nothing orders places below different roots.
  const void* root = nullptr;
  // From the root's child that leads to the task down: 2n + 1 below child n, 2n before it is
  // spawned. The numbers of siblings grow, but need not be next to each other.
  std::vector<std::uint64_t> counts;
};

}  // namespace myr::base
