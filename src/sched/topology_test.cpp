// SPDX-License-Identifier: Apache-2.0
#include "sched/topology.hpp"

#include <doctest/doctest.h>

using myr::sched::AgentId;
using myr::sched::Topology;

TEST_CASE("fan-outs say how many children each level has") {
  const Topology tree = Topology::of_fan_outs({2, 3});
  CHECK(tree.agent_count() == 9);
  CHECK(tree.children(0) == std::vector<AgentId>{1, 5});
  CHECK(tree.children(5) == std::vector<AgentId>{6, 7, 8});
  CHECK(tree.schedulers() == std::vector<AgentId>{0, 1, 5});
  CHECK(tree.workers() == std::vector<AgentId>{2, 3, 4, 6, 7, 8});
  CHECK(tree.worker_number(2) == 0);
  CHECK(tree.worker_number(6) == 3);
  CHECK(tree.worker_number(5) == 3);  // so many before it
  CHECK(tree.scheduler_number(5) == 2);
  CHECK(tree.scheduler_number(6) == 3);
  CHECK(tree.level(0) == 1);
  CHECK(tree.level(5) == 0);
  CHECK(tree.is_leaf_scheduler(1));
  CHECK_FALSE(tree.is_leaf_scheduler(0));
}

TEST_CASE("a message goes up until its receiver is below, then down") {
  const Topology tree = Topology::of_fan_outs({2, 2, 2});
  for (AgentId from = 0; from < tree.agent_count(); ++from) {
    for (AgentId to = 0; to < tree.agent_count(); ++to) {
      unsigned hops = 0;
      for (AgentId at = from; at != to; at = tree.next_hop(at, to)) hops += 1;
      const unsigned up = tree.depth(tree.common(from, to));
      CHECK(hops == tree.depth(from) + tree.depth(to) - 2 * up);
    }
  }
}

TEST_CASE("counts are shared out evenly") {
  CHECK(Topology::of_counts(1, 5).children(0).size() == 5);
  for (const auto& [schedulers, workers] : {std::pair{3U, 6U}, {8U, 512U}, {40U, 512U}}) {
    const Topology tree = Topology::of_counts(schedulers, workers);
    CHECK(tree.schedulers().size() == schedulers);
    CHECK(tree.workers().size() == workers);
    for (const AgentId scheduler : tree.schedulers()) {
      CHECK(tree.children(scheduler).size() >= 1);
      for (const AgentId child : tree.children(scheduler)) {
        CHECK(tree.is_worker(child) == tree.is_leaf_scheduler(scheduler));
      }
    }
  }
}
