// SPDX-License-Identifier: Apache-2.0
#include "proto/sizes.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <utility>

using namespace myr;
using proto::bytes_of;
using proto::parts_of;

TEST_CASE("a message has the size of all that it owns") {
  CHECK(bytes_of({.to = 1, .body = proto::BodyEnded{.task = 7}}) ==
        sizeof(proto::AgentId) + sizeof(proto::BodyEnded));

  auto task = std::make_unique<proto::Task>();
  task->time = proto::SerialTime::of_counts(std::vector<std::uint64_t>{1, 2, 3});  // shared
  for (int i = 0; i < 3; ++i) task->accesses.push_back({});
  task->accesses[1].path = proto::Path{{1}, {2}, {3}, {4}, {5}};
  CHECK(bytes_of({.to = 1, .body = proto::Spawn{.task = std::move(task)}}) ==
        sizeof(proto::AgentId) + sizeof(proto::Spawn) + sizeof(proto::Task) +
            3 * sizeof(proto::Access) + 5 * sizeof(proto::NodeId));

  proto::Work work;
  work.pieces = proto::Pieces{{}, {}, {}, {}};
  CHECK(bytes_of({.to = 1, .body = proto::Execute{.work = work}}) ==
        sizeof(proto::AgentId) + sizeof(proto::Execute) + 4 * sizeof(proto::Piece));
}

TEST_CASE("a message has the parts that it is about") {
  CHECK(parts_of(proto::BodyEnded{.task = 7}) == 1);
  CHECK(parts_of(proto::Packed{.request = 1, .pieces = {}}) == 1);
  CHECK(parts_of(proto::Packed{.request = 1, .pieces = {{}, {}, {}}}) == 3);
  CHECK(parts_of(proto::Arrive{.use = {}, .ways = {.nodes = {{1}, {2}}}}) == 2);
  CHECK(parts_of(proto::Granted{.task = 1, .nodes = {{1}, {2}}, .pieces = {}}) == 2);
  CHECK(parts_of(proto::Granted{.task = 1, .nodes = {{1}}, .pieces = {{}, {}, {}}}) == 3);
  CHECK(parts_of(proto::Place{.work = {.task = 1, .pieces = {{}, {}}}}) == 2);
  // The way to a node counts as that node.
  CHECK(parts_of(proto::Resolve{.parent = 1, .asker = 0, .sought = {{}}, .path = {{1}, {2}}}) == 1);
  auto task = std::make_unique<proto::Task>();
  task->accesses = {{}, {}};
  task->written = {{}, {}, {}};
  CHECK(parts_of(proto::Spawn{.task = std::move(task)}) == 2);
  auto loop = std::make_unique<proto::Task>();
  loop->accesses = {{}, {}};
  loop->loop = std::make_shared<proto::Loop>();
  loop->loop->objects = {1, 2, 3, 4, 5};
  CHECK(parts_of(proto::Adopt{.task = std::move(loop)}) == 7);
}
