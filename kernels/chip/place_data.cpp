// SPDX-License-Identifier: Apache-2.0
//
// Data spread over workers; see place_data.hpp.
#include "chip/place_data.hpp"

#include <myr/sim.h>

#include <array>
#include <chrono>
#include <thread>

#include "common/machine.hpp"

namespace kernels {
namespace {

constexpr unsigned kHandOn = MYR_INOUT | MYR_NOTRANSFER;

// Beside a task that takes so long, a process that has nothing to do gets the others.
constexpr auto kTakesInJob = std::chrono::milliseconds(20);

// The last argument says how many cycles it takes.
void take(const myr_access* arguments) {
  while ((arguments->flags & MYR_VALUE) == 0) arguments += 1;
  myr_work(static_cast<std::uint64_t>(arguments->integer));
}
void take_in_job(const myr_access*) { std::this_thread::sleep_for(kTakesInJob); }

void spawn_takers(const myr_access* arguments, myr_function take_objects) {
  const auto* placement = static_cast<const DataPlacement*>(arguments[1].address);
  for (const std::vector<void*>& objects : placement->objects) {
    std::vector<myr_access> accesses;
    for (void* object : objects) accesses.push_back(myr_inout(object));
    accesses.push_back(arguments[2]);
    myr_spawn_array(take_objects, accesses.data(), accesses.size());
  }
}
void hand_out(const myr_access* arguments) { spawn_takers(arguments, take); }
void hand_out_in_job(const myr_access* arguments) { spawn_takers(arguments, take_in_job); }

}  // namespace

void place_data(myr_region around, const std::vector<DataPlacement>& placements,
                std::int64_t cycles) {
  const Machine on = machine();
  const bool is_job = on.name.starts_with("mpi:");
  if (!(is_simulated() || is_job) || !on.runs_tasks) return;
  for (const DataPlacement& placement : placements) {
    const std::array accesses{myr_region_access(placement.region, kHandOn), myr_pointer(&placement),
                              myr_value(cycles)};
    myr_spawn_array(is_job ? hand_out_in_job : hand_out, accesses.data(), accesses.size());
  }
  void* end = myr_alloc(1, MYR_ROOT);
  const std::array accesses{myr_region_access(around, kHandOn), myr_inout(end)};
  myr_spawn_array([](const myr_access*) {}, accesses.data(), accesses.size());
  myr_wait_array(&accesses[1], 1);
  myr_free(end);
}

}  // namespace kernels
