// SPDX-License-Identifier: Apache-2.0
#include "sched/placer.hpp"

#include <doctest/doctest.h>

using myr::sched::AgentId;
using myr::sched::Placer;
using myr::sched::Topology;

namespace {
constexpr bool kWaits = true;  // a task that has left, not ended
}  // namespace

// Defect R of the published runtime: its setting meant the opposite of what its paper says.
TEST_CASE("the load percent is the weight of the load, the rest that of locality") {
  const Topology tree = Topology::of_fan_outs({2});
  const AgentId busy = 1;
  const AgentId idle = 2;
  for (const auto& [load_percent, chosen] : {std::pair{0U, busy}, {100U, idle}}) {
    Placer placer(tree, 0, {.load_percent = load_percent, .moves_data = true});
    placer.task_returns(busy, 1);
    CHECK(placer.place_task({{.address = 0, .bytes = 64, .producer = busy}}) == chosen);
  }
}

// Defect P: there, the load of a child was what it had told last.
TEST_CASE("a report that was sent before tasks arrived does not hide them") {
  const Topology tree = Topology::of_fan_outs({2, 2});
  Placer placer(tree, 0, {.load_percent = 100, .moves_data = true});
  const AgentId first = placer.place_task({});
  const AgentId second = placer.place_task({});
  CHECK(first != second);
  placer.report(first, {.tasks = 0, .regions = 0, .places = 0});
  const AgentId third = placer.place_task({});
  CHECK(placer.place_task({}) != third);
}

TEST_CASE("a report that was sent after tasks arrived counts them once") {
  const Topology tree = Topology::of_fan_outs({2, 2});
  Placer placer(tree, 0, {.load_percent = 100, .moves_data = true});
  const AgentId first = placer.place_task({});
  const AgentId second = placer.place_task({});
  placer.report(second, {.tasks = 2, .regions = 0, .places = 1});
  CHECK(placer.place_task({}) == first);
}

TEST_CASE("small changes of the load are kept, and coming from and going to zero are told") {
  const Topology tree = Topology::of_fan_outs({2, 2});
  Placer placer(tree, 1, {.load_percent = 100, .moves_data = true});
  CHECK_FALSE(placer.take_report(0));
  const AgentId worker = placer.place_task({});
  CHECK(placer.take_report(0)->tasks == 1);
  for (int i = 0; i < 7; ++i) static_cast<void>(placer.place_task({}));
  CHECK(placer.take_report(0)->tasks == 8);
  CHECK(placer.place_task({}) == worker);
  CHECK_FALSE(placer.take_report(0));
  placer.task_left(worker, 1, !kWaits);
  CHECK_FALSE(placer.take_report(0));
  for (int i = 0; i < 4; ++i) placer.task_left(worker, 1, !kWaits);
  CHECK(placer.take_report(0)->tasks == 4);
  for (int i = 0; i < 4; ++i) placer.task_left(worker == 2 ? 3 : 2, 1, !kWaits);
  CHECK(placer.take_report(0)->tasks == 0);
}

TEST_CASE("a scheduler of workers keeps tasks until one of them has room") {
  const Topology tree = Topology::of_fan_outs({2});
  Placer placer(tree, 0, {.load_percent = 80, .moves_data = true});
  const myr::proto::Piece near_busy{.address = 0, .bytes = 64, .producer = 1};
  for (std::uint32_t i = 0; i < 2 * (1 + Placer::kTasksAhead); ++i) {
    CHECK(placer.has_room(3));
    static_cast<void>(placer.place_task({near_busy}));
  }
  CHECK_FALSE(placer.has_room(3));
  // The one with the data is full.
  placer.task_left(2, 1, !kWaits);
  CHECK(placer.has_room(3));
  CHECK(placer.place_task({near_busy}) == 2);
  CHECK(placer.take_report(3)->tasks == 2 * (1 + Placer::kTasksAhead) + 3);
}

TEST_CASE("behind a task goes another one only while more wait than there are workers") {
  const Topology tree = Topology::of_fan_outs({2});
  Placer placer(tree, 0, {.load_percent = 80, .moves_data = true});
  Placer taking_back(tree, 0, {.load_percent = 80, .moves_data = true, .takes_back = true});
  for (int i = 0; i < 2; ++i) {
    CHECK(placer.has_room(1));
    static_cast<void>(placer.place_task({}));
    static_cast<void>(taking_back.place_task({}));
  }
  CHECK_FALSE(placer.has_room(2));
  CHECK(placer.has_room(3));
  CHECK(taking_back.has_room(1));
  placer.task_left(2, 1, !kWaits);
  CHECK(placer.has_room(1));
}

TEST_CASE("a task does not wait for the end of a step that is replayed, which may wait for it") {
  const Topology tree = Topology::of_fan_outs({2});
  Placer placer(tree, 0, {.load_percent = 80, .moves_data = true});
  for (const AgentId worker : {1U, 2U}) placer.step_begins(worker);
  CHECK(placer.has_room(1));
  for (const AgentId worker : {1U, 2U}) placer.step_ends(worker);
  for (int i = 0; i < 2; ++i) static_cast<void>(placer.place_task({}));
  CHECK_FALSE(placer.has_room(1));
}

TEST_CASE("a worker whose task waits is as free as one without") {
  const Topology tree = Topology::of_fan_outs({2});
  Placer placer(tree, 0, {.load_percent = 100, .moves_data = true});
  placer.task_returns(1, 1);  // main
  CHECK(placer.place_task({}) == 2);
  placer.task_left(1, 1, kWaits);
  CHECK(placer.place_task({}) == 1);
  placer.task_returns(1, 1);
  CHECK(placer.place_task({}) == 2);
}

TEST_CASE("a report that was sent before a wait was over does not hide the task that goes on") {
  const Topology tree = Topology::of_fan_outs({2, 2});
  Placer placer(tree, 0, {.load_percent = 100, .moves_data = true});
  const AgentId first = placer.place_task({});
  const AgentId worker = tree.children(first).front();
  placer.task_left(first, 1, kWaits);
  placer.task_returns(worker, 1);
  placer.report(first, {.tasks = 0, .regions = 0, .places = 1});
  CHECK(placer.place_task({}) != first);
  placer.task_left(first, 1, !kWaits);
  CHECK(placer.place_task({}) == first);
}

TEST_CASE("where no data moves, no task is bound behind main until it waits") {
  const Topology tree = Topology::of_fan_outs({2});
  Placer placer(tree, 0, {.load_percent = 80, .moves_data = false});
  placer.task_returns(1, myr::proto::kMain);
  for (std::uint32_t i = 0; i < 1 + Placer::kTasksAhead; ++i) {
    CHECK(placer.place_task({{.address = 0, .bytes = 64, .producer = 1}}) == 2);
  }
  CHECK_FALSE(placer.has_room(1));
  CHECK(placer.take_report(0)->tasks == 1 + Placer::kTasksAhead + 1);
  placer.task_left(1, myr::proto::kMain, kWaits);
  CHECK(placer.place_task({}) == 1);
}

TEST_CASE("who waits on top of tasks whose waits are over does not wait for room for others") {
  const Topology tree = Topology::of_fan_outs({1});
  Placer placer(tree, 0, {.load_percent = 80, .moves_data = false, .takes_back = true});
  placer.task_returns(1, myr::proto::kMain);
  CHECK_FALSE(placer.has_room(1));
  constexpr myr::proto::TaskId kDepth = 6;
  for (myr::proto::TaskId task = 0; task < kDepth; ++task) {
    placer.task_left(1, task, kWaits);
    CHECK(placer.has_room(1));
    CHECK(placer.place_task({}) == 1);
    placer.task_returns(1, task);
  }
  placer.task_left(1, kDepth, kWaits);
  CHECK(placer.has_room(1));
  placer.task_returns(1, kDepth);
  CHECK_FALSE(placer.has_room(1));
}

TEST_CASE("where workers give back, a task goes to its data, though others have less to do") {
  const Topology tree = Topology::of_fan_outs({2});
  Placer placer(tree, 0, {.load_percent = 80, .moves_data = true, .takes_back = true});
  const myr::proto::Piece much{.address = 0, .bytes = Placer::kStayingBytes, .producer = 1};
  const myr::proto::Piece little{.address = 0, .bytes = Placer::kStayingBytes - 1, .producer = 1};
  for (std::uint32_t i = 0; i < Placer::kStayingTasks; ++i) {
    CHECK(placer.place_task({much}) == 1);
  }
  CHECK(placer.place_task({much}) == 2);
  placer.task_left(1, 1, !kWaits);
  CHECK(placer.place_task({little}) == 2);
  CHECK(placer.place_task({much}) == 1);
}

TEST_CASE("of several workers with as much of a task's data, the one with fewer tasks gets it") {
  const Topology tree = Topology::of_fan_outs({2});
  Placer placer(tree, 0, {.load_percent = 80, .moves_data = true, .takes_back = true});
  const myr::proto::Piece first{.address = 0, .bytes = 1 << 20, .producer = 1};
  const myr::proto::Piece second{.address = 1 << 20, .bytes = 1 << 20, .producer = 2};
  placer.task_returns(1, 1);
  CHECK(placer.place_task({first, second}) == 2);
}
