// SPDX-License-Identifier: Apache-2.0
//
// The two microbenchmarks of paper 3 on the simulated chip, as JSON lines: a core goes through an
// array of 16 MB, which one memory controller has, once. Figure 3: by the core's distance.
// Figure 4: on the most distant core, while others do the same.
#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

#include "transport/sim/scc/chip.hpp"

using namespace myr::transport::sim;

namespace {

constexpr unsigned kController = 0;
constexpr std::uint64_t kArrayBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kLines = kArrayBytes / scc::kLineBytes;

// How long the first of the cores takes, while the others go on for ever.
Cycles time_of_first(const std::vector<scc::CoreNumber>& cores) {
  using Event = std::pair<Cycles, std::size_t>;
  scc::Controllers controllers;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  for (std::size_t i = 0; i < cores.size(); ++i) events.emplace(0, i);
  for (std::uint64_t left = kLines;;) {
    const auto [now, index] = events.top();
    events.pop();
    const Cycles end = controllers.fetch(cores[index], kController, 1, now);
    events.emplace(end, index);
    if (index != 0) continue;
    left -= 1;
    if (left == 0) return end;
  }
}

std::vector<scc::CoreNumber> by_distance() {
  std::vector<scc::CoreNumber> cores(scc::kCores);
  for (scc::CoreNumber core = 0; core < scc::kCores; ++core) cores[core] = core;
  std::stable_sort(cores.begin(), cores.end(), [](scc::CoreNumber a, scc::CoreNumber b) {
    return scc::hops_to_controller(a, kController) > scc::hops_to_controller(b, kController);
  });
  return cores;  // the most distant one first
}

}  // namespace

int main() {
  const std::vector<scc::CoreNumber> cores = by_distance();
  unsigned last = 0;
  for (const scc::CoreNumber core : cores) {
    const unsigned hops = scc::hops_to_controller(core, kController);
    if (hops != last) {
      fmt::print("{{\"figure\": 3, \"hops\": {}, \"cycles\": {}}}\n", hops, time_of_first({core}));
    }
    last = hops;
  }
  for (std::size_t count = 1; count <= cores.size(); count += count == 1 ? 3 : 4) {
    const std::vector<scc::CoreNumber> some(cores.begin(),
                                            cores.begin() + static_cast<std::ptrdiff_t>(count));
    fmt::print("{{\"figure\": 4, \"cores\": {}, \"cycles\": {}}}\n", count, time_of_first(some));
  }
  return 0;
}
