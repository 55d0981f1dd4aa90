// SPDX-License-Identifier: Apache-2.0
#include "plat/this_cpu.hpp"

#include <sched.h>

#include "plat/cpu_mask.hpp"

namespace myr::plat {

unsigned this_cpu() noexcept {
  const int cpu = sched_getcpu();
  return cpu < 0 ? 0 : static_cast<unsigned>(cpu);
}

void leave_this_cpu() noexcept {
  CpuMask usable;
  if (!usable.read()) return;
  CpuMask others = usable;
  others.remove(this_cpu());
  if (others.count() != 0 && others.apply()) static_cast<void>(usable.apply());
}

}  // namespace myr::plat
