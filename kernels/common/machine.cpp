// SPDX-License-Identifier: Apache-2.0
//
// Myrmidon's machine, as MYR_ON names it; see machine.hpp.
#include "common/machine.hpp"

#include <fmt/format.h>
#include <myr/myr.h>

#include <cstdlib>
#include <string_view>

namespace kernels {
namespace {

std::string_view chosen() {
  const char* name = std::getenv("MYR_ON");
  return name == nullptr ? "" : name;
}

}  // namespace

Machine machine() {
  const unsigned workers = myr_worker_count();
  // The default one gets its size added.
  const std::string name =
      chosen().empty() ? fmt::format("smp:{}", workers) : std::string(chosen());
  return {
      .runtime = "myrmidon", .name = name, .threads = workers, .text = name, .runs_tasks = true};
}

bool is_simulated() { return chosen().starts_with("sim:"); }

std::vector<MachineOption> machine_options() { return {}; }
std::string machine_mistake() { return {}; }

}  // namespace kernels
