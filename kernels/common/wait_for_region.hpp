// SPDX-License-Identifier: Apache-2.0
//
// The end of a program whose results stay where its tasks have left them (see parts.h): main waits
// until all tasks on a region are over, and gets none of its data.
#pragma once

#include <myr/myr.h>

#include <array>

namespace kernels {

// `end`: an object outside of the region that nobody else uses.
inline void wait_for_region(myr_region region, int* end) {
  const std::array accesses{myr_region_access(region, MYR_INOUT | MYR_NOTRANSFER), myr_out(end)};
  const auto reach_end = [](const myr_access* arguments) {
    *static_cast<int*>(arguments[1].address) = 1;
  };
  myr_spawn_array(reach_end, accesses.data(), accesses.size());
  const myr_access wanted = myr_in(end);
  myr_wait_array(&wanted, 1);
}

}  // namespace kernels
