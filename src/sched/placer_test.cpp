// SPDX-License-Identifier: Apache-2.0
#include "sched/placer.hpp"

#include <doctest/doctest.h>

using myr::sched::AgentId;
using myr::sched::Placer;
using myr::sched::Topology;

// Defect R of the published runtime: its setting meant the opposite of what its paper says.
TEST_CASE("the load percent is the weight of the load, the rest that of locality") {
  const Topology tree = Topology::of_fan_outs({2});
  const AgentId busy = 1;
  const AgentId idle = 2;
  for (const auto& [load_percent, chosen] : {std::pair{0U, busy}, {100U, idle}}) {
    Placer placer(tree, 0, load_percent);
    placer.add_main(busy);
    CHECK(placer.place_task({{.address = 0, .bytes = 64, .producer = busy}}) == chosen);
  }
}

// Defect P: there, the load of a child was what it had told last.
TEST_CASE("a report that was sent before tasks arrived does not hide them") {
  const Topology tree = Topology::of_fan_outs({2, 2});
  Placer placer(tree, 0, 100);
  const AgentId first = placer.place_task({});
  const AgentId second = placer.place_task({});
  CHECK(first != second);
  placer.report(first, {.tasks = 0, .regions = 0, .places = 0});
  const AgentId third = placer.place_task({});
  CHECK(placer.place_task({}) != third);
}

TEST_CASE("a report that was sent after tasks arrived counts them once") {
  const Topology tree = Topology::of_fan_outs({2, 2});
  Placer placer(tree, 0, 100);
  const AgentId first = placer.place_task({});
  const AgentId second = placer.place_task({});
  placer.report(second, {.tasks = 2, .regions = 0, .places = 1});
  CHECK(placer.place_task({}) == first);
}

TEST_CASE("small changes of the load are kept, and coming from and going to zero are told") {
  const Topology tree = Topology::of_fan_outs({2, 2});
  Placer placer(tree, 1, 100);
  CHECK_FALSE(placer.take_report());
  const AgentId worker = placer.place_task({});
  CHECK(placer.take_report()->tasks == 1);
  for (int i = 0; i < 7; ++i) static_cast<void>(placer.place_task({}));
  CHECK(placer.take_report()->tasks == 8);
  CHECK(placer.place_task({}) == worker);
  CHECK_FALSE(placer.take_report());
  placer.task_ended(worker);
  CHECK_FALSE(placer.take_report());
  for (int i = 0; i < 4; ++i) placer.task_ended(worker);
  CHECK(placer.take_report()->tasks == 4);
  for (int i = 0; i < 4; ++i) placer.task_ended(worker == 2 ? 3 : 2);
  CHECK(placer.take_report()->tasks == 0);
}
