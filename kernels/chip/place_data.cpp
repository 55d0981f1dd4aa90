// SPDX-License-Identifier: Apache-2.0
//
// Data spread over workers; see place_data.hpp.
#include "chip/place_data.hpp"

#include <array>
#include <chrono>
#include <thread>

#include "common/machine.hpp"

namespace kernels {
namespace {

constexpr unsigned kHandOn = MYR_INOUT | MYR_NOTRANSFER;

// Beside a task that takes so long, a process that has nothing to do gets the others.
constexpr auto kTakesInJob = std::chrono::milliseconds(20);

// The last argument says how long it takes: cycles, or -1.
void take(const myr_access* arguments) {
  while ((arguments->flags & MYR_SAFE) == 0) arguments += 1;
  if (arguments->integer > 0) myr_work(static_cast<std::uint64_t>(arguments->integer));
  if (arguments->integer < 0) std::this_thread::sleep_for(kTakesInJob);
}

void hand_out(const myr_access* arguments) {
  const auto* placement = static_cast<const DataPlacement*>(arguments[1].address);
  for (const std::vector<void*>& objects : placement->objects) {
    std::vector<myr_access> accesses;
    for (void* object : objects) accesses.push_back(myr_inout(object));
    accesses.push_back(arguments[2]);
    myr_spawn(take, accesses.data(), accesses.size());
  }
}

}  // namespace

void place_data(myr_region around, const std::vector<DataPlacement>& placements,
                std::int64_t cycles) {
  const Machine on = machine();
  const bool is_job = on.name.starts_with("mpi:");
  if (!(is_simulated() || is_job) || !on.runs_tasks) return;
  if (is_job) cycles = -1;
  for (const DataPlacement& placement : placements) {
    const std::array accesses{myr_region_access(placement.region, kHandOn), myr_safe(&placement),
                              myr_value(cycles)};
    myr_spawn(hand_out, accesses.data(), accesses.size());
  }
  void* end = myr_alloc(1, MYR_ROOT);
  const std::array accesses{myr_region_access(around, kHandOn), myr_inout(end), myr_value(0)};
  myr_spawn(take, accesses.data(), accesses.size());
  myr_wait(&accesses[1], 1);
  myr_free(end);
}

}  // namespace kernels
