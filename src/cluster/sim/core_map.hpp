// SPDX-License-Identifier: Apache-2.0
//
// Which core of a simulated chip each agent runs on. Workers have weak cores. Schedulers have the
// strong ones as far as there are any, those higher in the tree first, each as near to its children
// as can be; the others have weak ones beside their workers.
#pragma once

#include <optional>
#include <vector>

#include "sched/topology.hpp"
#include "transport/sim/chip.hpp"

namespace myr::cluster::sim {

// By agent. None: the chip has too few cores.
[[nodiscard]] std::optional<std::vector<transport::sim::CoreIndex>> map_to_cores(
    const sched::Topology& topology, const transport::sim::Chip& chip);

}  // namespace myr::cluster::sim
