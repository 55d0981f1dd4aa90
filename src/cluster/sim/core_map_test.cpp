// SPDX-License-Identifier: Apache-2.0
#include "cluster/sim/core_map.hpp"

#include <doctest/doctest.h>

#include <set>

namespace myr::cluster::sim {

using sched::AgentId;
using sched::Topology;
using transport::sim::Chip;
using transport::sim::CoreIndex;

TEST_CASE("schedulers have strong cores, workers weak ones, nobody the same one") {
  const Chip chip = Chip::named("formic-520").value();
  const Topology topology = Topology::of_counts(8, 512);
  const auto cores = map_to_cores(topology, chip).value();
  CHECK(std::set(cores.begin(), cores.end()).size() == 520);
  for (AgentId agent = 0; agent < topology.agent_count(); ++agent) {
    CHECK(chip.is_strong(cores[agent]) == !topology.is_worker(agent));
  }
}

TEST_CASE("without enough strong cores, those higher up have them; the rest sit beside workers") {
  const Chip chip = Chip::named("formic-1+512").value();
  const Topology topology = Topology::of_fan_outs({4, 7});
  const auto cores = map_to_cores(topology, chip).value();
  CHECK(chip.is_strong(cores[0]));
  for (const AgentId leaf : topology.children(0)) {
    CHECK_FALSE(chip.is_strong(cores[leaf]));
    for (const AgentId worker : topology.children(leaf)) {
      CHECK(chip.hops(cores[leaf], cores[worker]) == 0);  // eight cores on a board
    }
  }
}

TEST_CASE("a chip with too few cores") {
  const Chip chip = Chip::named("formic-512").value();
  CHECK(map_to_cores(Topology::of_counts(1, 511), chip));
  CHECK_FALSE(map_to_cores(Topology::of_counts(1, 512), chip));
}

}  // namespace myr::cluster::sim
