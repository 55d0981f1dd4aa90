// SPDX-License-Identifier: Apache-2.0
//
// Time on simulated machines; see virtual_time.hpp.
#include "chip/virtual_time.hpp"

#include <myr/sim.h>

#include "chip/work.h"

namespace kernels {
namespace {

// A sink is a plain function, so what it needs is here.
std::uint64_t work_scale = 1;
std::uint64_t declared = 0;

void count_work(std::uint64_t cycles) { declared += work_scale * cycles; }
void do_work(std::uint64_t cycles) { myr_work(work_scale * cycles); }

void run_with(kernel_work_sink sink, const std::function<void()>& program, std::uint64_t scale) {
  work_scale = scale;
  kernel_work_to(sink);
  program();
  kernel_work_to(nullptr);
}

}  // namespace

std::uint64_t declared_cycles(const std::function<void()>& serial, std::uint64_t scale) {
  declared = 0;
  run_with(count_work, serial, scale);
  return declared;
}

std::uint64_t elapsed_cycles(const std::function<void()>& parallel, std::uint64_t scale) {
  const std::uint64_t start = myr_cycles();
  kernel_touch_to(myr_touch);
  run_with(do_work, parallel, scale);
  kernel_touch_to(nullptr);
  return myr_cycles() - start;
}

}  // namespace kernels
