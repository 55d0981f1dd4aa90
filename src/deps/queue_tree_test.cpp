// SPDX-License-Identifier: Apache-2.0
#include "deps/queue_tree.hpp"

#include <doctest/doctest.h>

#include <array>
#include <set>
#include <utility>
#include <vector>

using namespace myr::deps;

namespace {

constexpr NodeId kRoot = NodeId::region(0);
constexpr NodeId kOuter = NodeId::region(1);
constexpr NodeId kInner = NodeId::region(2);
constexpr NodeId kObject = NodeId::object(64);
constexpr NodeId kOther = NodeId::object(128);
constexpr TaskId kMain = 100;

using Nodes = decltype(Ways::nodes);

Ways ways_along(const Path& path) {
  Ways ways;
  ways.nodes.append(path.begin(), path.end());
  return ways;
}

// One scheduler that owns everything: root > outer > inner > kObject, kOther.
struct Bench final : Effects {
  QueueTree tree{*this};
  std::set<TaskId> running;
  int granted_count = 0;
  std::vector<std::pair<NodeId, Ended>> up;
  std::vector<std::pair<Use, Ways>> down;

  Bench() {
    tree.add_region(kRoot, kRoot);
    tree.add_region(kOuter, kRoot);
    tree.add_region(kInner, kOuter);
    tree.hold(kMain, kRoot);
  }
  void granted(TaskId task, NodeId, NodeId) override {
    running.insert(task);
    granted_count += 1;
  }
  void hand_down(Use use, Ways ways) override { down.emplace_back(use, std::move(ways)); }
  void hand_up(NodeId node, const Ended& ended) override { up.emplace_back(node, ended); }

  void spawn(TaskId parent, TaskId task, Mode mode, const Path& path) {
    tree.enter(parent, {task, mode}, ways_along(path));
  }
  void spawn_part(TaskId parent, TaskId task, Mode mode, const Path& path) {
    tree.enter(parent, {.task = task, .mode = mode, .parts_of = parent}, ways_along(path));
  }
  void end(TaskId task, NodeId target) {
    CHECK(running.erase(task) == 1);
    tree.done(task, {&target, 1});
  }
};

const Path kToOuter{kRoot, kOuter};
const Path kToInner{kRoot, kOuter, kInner};
const Path kToObject{kRoot, kOuter, kInner, kObject};
const Path kToOther{kRoot, kOuter, kInner, kOther};
const Ways kToBoth{.nodes = {kRoot, kOuter, kInner, kObject, kOther}, .count = 2};
constexpr Mode kRead = Mode::Read;
constexpr Mode kWrite = Mode::Write;

}  // namespace

TEST_CASE("writers of one object run one after the other, readers together") {
  Bench bench;
  bench.spawn(kMain, 1, kWrite, kToObject);
  bench.spawn(kMain, 2, kRead, kToObject);
  bench.spawn(kMain, 3, kRead, kToObject);
  bench.spawn(kMain, 4, kWrite, kToObject);
  bench.spawn(kMain, 5, kRead, kToObject);
  CHECK(bench.running == std::set<TaskId>{1});
  bench.end(1, kObject);
  CHECK(bench.running == std::set<TaskId>{2, 3});
  bench.end(3, kObject);
  CHECK(bench.running == std::set<TaskId>{2});
  bench.end(2, kObject);
  CHECK(bench.running == std::set<TaskId>{4});
  bench.end(4, kObject);
  CHECK(bench.running == std::set<TaskId>{5});
}

TEST_CASE("children of one task that use parts of an object are granted beside each other") {
  Bench bench;
  bench.spawn_part(kMain, 1, kWrite, kToObject);
  bench.spawn_part(kMain, 2, kRead, kToObject);
  bench.spawn_part(kMain, 3, kWrite, kToObject);
  CHECK(bench.running == std::set<TaskId>{1, 2, 3});
  bench.spawn(kMain, 4, kRead, kToObject);
  bench.spawn_part(kMain, 5, kWrite, kToObject);
  bench.spawn_part(kMain, 6, kWrite, kToObject);
  bench.end(2, kObject);
  bench.end(3, kObject);
  CHECK(bench.running == std::set<TaskId>{1});
  bench.end(1, kObject);
  CHECK(bench.running == std::set<TaskId>{4});
  bench.end(4, kObject);
  CHECK(bench.running == std::set<TaskId>{5, 6});
}

TEST_CASE("who reads a part reads beside those who read all of the object") {
  Bench bench;
  bench.spawn(kMain, 1, kRead, kToObject);
  bench.spawn_part(kMain, 2, kRead, kToObject);
  CHECK(bench.running == std::set<TaskId>{1, 2});
  bench.spawn_part(kMain, 3, kWrite, kToObject);
  CHECK(bench.running == std::set<TaskId>{1, 2});
  bench.end(2, kObject);
  CHECK(bench.running == std::set<TaskId>{1});
  bench.end(1, kObject);
  CHECK(bench.running == std::set<TaskId>{3});
}

TEST_CASE("who reads does not wait for readers of parts that have begun beside a writer") {
  Bench bench;
  bench.spawn_part(kMain, 1, kWrite, kToObject);
  bench.spawn_part(kMain, 2, kRead, kToObject);
  bench.spawn(kMain, 3, kRead, kToInner);
  bench.spawn_part(kMain, 4, kRead, kToObject);
  bench.end(1, kObject);
  CHECK(bench.running == std::set<TaskId>{2, 3, 4});  // and 4 may still wait for 3 elsewhere
  bench.spawn_part(3, 5, kRead, {kInner, kObject});
  CHECK(bench.running == std::set<TaskId>{2, 3, 4, 5});
}

TEST_CASE("who reads behind a writer of a part goes on when it ends, whoever reads ahead") {
  Bench bench;
  bench.spawn_part(kMain, 1, kWrite, kToObject);
  bench.spawn_part(kMain, 2, kRead, kToObject);
  bench.tree.enter(kMain, {.task = 3, .mode = kRead, .passes = true}, ways_along(kToInner));
  bench.spawn_part(kMain, 4, kRead, kToObject);
  bench.spawn_part(3, 5, kRead, {kInner, kObject});
  CHECK(bench.running == std::set<TaskId>{1, 2, 3, 4});
  bench.end(2, kObject);
  CHECK(bench.running == std::set<TaskId>{1, 3, 4});
  bench.end(1, kObject);
  CHECK(bench.running == std::set<TaskId>{3, 4, 5});
}

TEST_CASE("the same if the writer is not the first") {
  Bench bench;
  bench.spawn_part(kMain, 1, kRead, kToObject);
  bench.spawn_part(kMain, 2, kWrite, kToObject);
  bench.tree.enter(kMain, {.task = 3, .mode = kRead, .passes = true}, ways_along(kToInner));
  bench.spawn_part(kMain, 4, kRead, kToObject);
  bench.spawn_part(3, 5, kRead, {kInner, kObject});
  CHECK(bench.running == std::set<TaskId>{1, 2, 3, 4});
  bench.end(2, kObject);
  CHECK(bench.running == std::set<TaskId>{1, 3, 4, 5});
}

TEST_CASE("the same if the reader has come before the writer began") {
  Bench bench;
  bench.spawn(kMain, 1, kRead, kToObject);
  bench.spawn_part(kMain, 2, kWrite, kToObject);
  bench.tree.enter(kMain, {.task = 3, .mode = kRead, .passes = true}, ways_along(kToInner));
  bench.spawn_part(kMain, 4, kRead, kToObject);
  bench.spawn(3, 5, kRead, {kInner, kObject});
  CHECK(bench.running == std::set<TaskId>{1, 3});
  bench.end(1, kObject);
  CHECK(bench.running == std::set<TaskId>{2, 3, 4});
  bench.end(2, kObject);
  CHECK(bench.running == std::set<TaskId>{3, 4, 5});  // 4 may wait for 5 elsewhere
}

TEST_CASE("children of a task that has a part wait for nobody outside of it") {
  Bench bench;
  bench.spawn_part(kMain, 1, kWrite, kToObject);
  bench.spawn_part(kMain, 2, kWrite, kToObject);
  bench.spawn_part(2, 21, kWrite, {kObject});
  bench.spawn_part(1, 11, kWrite, {kObject});
  bench.spawn_part(21, 211, kRead, {kObject});
  CHECK(bench.running == std::set<TaskId>{1, 2, 11, 21, 211});
}

TEST_CASE("parts that children of different tasks use are as good as the whole object") {
  Bench bench;
  bench.spawn(kMain, 1, kWrite, kToInner);
  bench.spawn_part(1, 11, kWrite, {kInner, kObject});
  bench.spawn_part(kMain, 2, kWrite, kToObject);
  bench.end(1, kInner);
  CHECK(bench.running == std::set<TaskId>{11});  // nobody compares its bytes with those of 2
  bench.end(11, kObject);
  CHECK(bench.running == std::set<TaskId>{2});
}

TEST_CASE("accesses of one task with the same way go on together and end together") {
  Bench bench;
  bench.spawn(kMain, 1, kWrite, kToInner);
  bench.tree.enter(kMain, {2, kWrite}, kToBoth);
  bench.spawn(kMain, 3, kRead, kToOther);
  bench.spawn(kMain, 4, kRead, kToInner);
  CHECK(bench.running == std::set<TaskId>{1});
  bench.end(1, kInner);
  CHECK(bench.running == std::set<TaskId>{2});
  CHECK(bench.granted_count == 3);
  CHECK(bench.running.erase(2) == 1);
  bench.tree.done(2, std::array{kObject, kOther});
  CHECK(bench.running == std::set<TaskId>{3, 4});
  bench.end(3, kOther);
  bench.end(4, kInner);
  CHECK(bench.tree.is_idle(kInner));
}

TEST_CASE("of accesses that go on together, each waits at its target for itself") {
  Bench bench;
  bench.spawn(kMain, 1, kWrite, kToOther);
  bench.tree.enter(kMain, {2, kWrite}, kToBoth);
  CHECK(bench.granted_count == 2);
  bench.end(1, kOther);
  CHECK(bench.granted_count == 3);
  bench.tree.done(2, std::array{kObject, kOther});
  CHECK(bench.tree.is_idle(kInner));
}

TEST_CASE("children use several objects that their parent holds") {
  Bench bench;
  bench.tree.enter(kMain, {1, kWrite}, kToBoth);
  bench.tree.enter(1, {11, kWrite}, {.nodes = {kObject, kOther}, .count = 2});
  CHECK(bench.granted_count == 4);
  bench.tree.done(1, std::array{kObject, kOther});
  CHECK_FALSE(bench.tree.is_idle(kInner));
  bench.tree.done(11, std::array{kObject, kOther});
  CHECK(bench.tree.is_idle(kInner));
}

TEST_CASE("a region waits for what is below, and what comes later waits for the region") {
  Bench bench;
  bench.spawn(kMain, 1, kWrite, kToObject);
  bench.spawn(kMain, 2, kWrite, kToOuter);
  bench.spawn(kMain, 3, kWrite, kToOther);
  CHECK(bench.running == std::set<TaskId>{1});
  bench.end(1, kObject);
  CHECK(bench.running == std::set<TaskId>{2});
  bench.end(2, kOuter);
  CHECK(bench.running == std::set<TaskId>{3});
}

TEST_CASE("readers of a region and of its parts run together") {
  Bench bench;
  bench.spawn(kMain, 1, kRead, kToObject);
  bench.spawn(kMain, 2, kRead, kToOuter);
  bench.spawn(kMain, 3, kRead, kToOther);
  CHECK(bench.running == std::set<TaskId>{1, 2, 3});
}

TEST_CASE("a reader of a region does not wait for readers of its parts that have begun late") {
  Bench bench;
  bench.spawn(kMain, 1, kWrite, kToObject);
  bench.spawn(kMain, 2, kRead, kToOther);
  bench.spawn(kMain, 3, kRead, kToInner);
  CHECK(bench.running == std::set<TaskId>{1, 2});
  bench.end(1, kObject);
  CHECK(bench.running == std::set<TaskId>{2, 3});
}

TEST_CASE("a parent may end before its children, and who comes next waits for them") {
  Bench bench;
  bench.spawn(kMain, 1, kWrite, kToOuter);
  bench.spawn(kMain, 2, kWrite, kToInner);
  bench.spawn(1, 11, kWrite, {kOuter, kInner, kObject});
  bench.end(1, kOuter);
  CHECK(bench.running == std::set<TaskId>{11});
  bench.end(11, kObject);
  CHECK(bench.running == std::set<TaskId>{2});
}

// The published runtime let the second child run at once.
TEST_CASE("a child on its parent's own region goes before a later child on a part of it") {
  Bench bench;
  bench.spawn(kMain, 1, kWrite, kToOuter);
  bench.spawn(1, 11, kWrite, {kOuter});
  bench.spawn(1, 12, kWrite, {kOuter, kInner, kObject});
  CHECK(bench.running == std::set<TaskId>{1, 11});
  bench.end(1, kOuter);
  bench.end(11, kOuter);
  CHECK(bench.running == std::set<TaskId>{12});
}

TEST_CASE("a child on the whole waits for its elder siblings on parts") {
  Bench bench;
  bench.spawn(kMain, 1, kWrite, kToOuter);
  bench.spawn(1, 11, kWrite, {kOuter, kInner, kObject});
  bench.spawn(1, 12, kWrite, {kOuter, kInner, kOther});
  bench.spawn(1, 13, kWrite, {kOuter});
  CHECK(bench.running == std::set<TaskId>{1, 11, 12});
  bench.end(11, kObject);
  bench.end(12, kOther);
  CHECK(bench.running == std::set<TaskId>{1, 13});
}

TEST_CASE("nothing is left when all have ended") {
  Bench bench;
  bench.spawn(kMain, 1, kWrite, kToObject);
  bench.spawn(kMain, 2, kRead, kToOuter);
  bench.spawn(kMain, 3, kWrite, kToOther);
  bench.end(1, kObject);
  bench.end(2, kOuter);
  bench.end(3, kOther);
  CHECK(bench.tree.node_count() == 3);
  for (const NodeId region : {kOuter, kInner}) CHECK(bench.tree.is_idle(region));
  bench.tree.done(kMain, {&kRoot, 1});
  CHECK(bench.tree.is_idle(kRoot));
}

TEST_CASE("what lives elsewhere is handed over and counted") {
  Bench bench;
  const NodeId far = NodeId::region(9);
  const NodeId below_far = NodeId::object(1024);
  bench.spawn(kMain, 1, kWrite, {kRoot, kOuter, far, below_far});
  REQUIRE(bench.down.size() == 1);
  CHECK(bench.down[0].second.nodes == Nodes{far, below_far});
  bench.spawn(kMain, 2, kWrite, kToOuter);
  CHECK(bench.running.empty());
  bench.tree.ended_below(kOuter, {.counts = {.reads = 0, .writes = 1}});
  CHECK(bench.running == std::set<TaskId>{2});
}

TEST_CASE("accesses with the same way are handed over together and counted one by one") {
  Bench bench;
  const NodeId far = NodeId::region(9);
  const Ways ways{.nodes = {kRoot, kOuter, far, NodeId::object(1024), NodeId::object(2048)},
                  .count = 2};
  bench.spawn(kMain, 1, kWrite, kToOuter);
  bench.tree.enter(kMain, {2, kRead}, ways);
  CHECK(bench.down.empty());
  bench.end(1, kOuter);
  REQUIRE(bench.down.size() == 1);
  CHECK(bench.down[0].second.nodes == Nodes{far, NodeId::object(1024), NodeId::object(2048)});
  CHECK(bench.down[0].second.count == 2);
  bench.spawn(kMain, 3, kWrite, kToOuter);
  bench.tree.ended_below(kOuter, {.counts = {.reads = 1}});
  CHECK(bench.running.empty());
  bench.tree.ended_below(kOuter, {.counts = {.reads = 1}});
  CHECK(bench.running == std::set<TaskId>{3});
}

TEST_CASE("what came from elsewhere is given back in one message when all of it has ended") {
  Bench bench;
  QueueTree& tree = bench.tree;
  const NodeId here = NodeId::region(20);
  const NodeId far = NodeId::region(9);
  tree.add_region(here, far);
  tree.arrive({1, kWrite}, {.nodes = {here, kObject}});
  tree.arrive({2, kRead}, {.nodes = {here, kOther}});
  bench.end(2, kOther);
  CHECK(bench.up.empty());
  bench.end(1, kObject);
  REQUIRE(bench.up.size() == 1);
  CHECK(bench.up[0].first == far);
  CHECK(bench.up[0].second.counts == Counts{.reads = 1, .writes = 1});
}

TEST_CASE("writers are given back as soon as only readers are left") {
  Bench bench;
  QueueTree& tree = bench.tree;
  const NodeId here = NodeId::region(20);
  tree.add_region(here, NodeId::region(9));
  tree.arrive({1, kWrite}, {.nodes = {here, kObject}});
  tree.arrive({2, kRead}, {.nodes = {here, kObject}});
  bench.end(1, kObject);
  REQUIRE(bench.up.size() == 1);
  CHECK(bench.up[0].second.counts == Counts{.reads = 0, .writes = 1});
  CHECK(bench.up[0].second.reads_begun == 1);
  bench.end(2, kObject);
  REQUIRE(bench.up.size() == 2);
  CHECK(bench.up[1].second.counts == Counts{.reads = 2, .writes = 0});
}

// A task that reads a region and an object in it: the object came first, behind a writer.
TEST_CASE("a task does not wait for its own reading") {
  Bench bench;
  bench.spawn(kMain, 1, kWrite, kToObject);
  bench.spawn(kMain, 2, kRead, kToObject);
  bench.spawn(kMain, 2, kRead, kToOuter);
  bench.end(1, kObject);
  CHECK(bench.granted_count == 3);
}

TEST_CASE("who passes waits for the queue, not for what is below") {
  Bench bench;
  bench.tree.enter(kMain, {1, kWrite}, ways_along(kToObject));
  bench.tree.enter(kMain, {2, kWrite, true}, ways_along(kToInner));
  CHECK(bench.running == std::set<TaskId>{1, 2});
  // Its accesses queue up behind those below, and those of others behind it.
  bench.tree.enter(2, {3, kWrite}, {.nodes = {kInner, kObject}});
  bench.tree.enter(2, {4, kWrite}, {.nodes = {kInner, kOther}});
  bench.tree.enter(kMain, {5, kWrite, true}, ways_along(kToInner));
  bench.tree.enter(kMain, {6, kRead}, ways_along(kToInner));
  CHECK(bench.running == std::set<TaskId>{1, 2, 4});
  bench.end(2, kInner);
  CHECK(bench.running == std::set<TaskId>{1, 4, 5});
  bench.end(5, kInner);
  bench.end(4, kOther);
  CHECK(bench.running == std::set<TaskId>{1});
  bench.end(1, kObject);
  CHECK(bench.running == std::set<TaskId>{3});
  bench.end(3, kObject);
  CHECK(bench.running == std::set<TaskId>{6});
  bench.end(6, kInner);
  CHECK(bench.tree.is_idle(kInner));
}

TEST_CASE("a reader does not join one that passes while somebody writes below") {
  Bench bench;
  bench.tree.enter(kMain, {1, kWrite}, ways_along(kToObject));
  bench.tree.enter(kMain, {2, kRead, true}, ways_along(kToInner));
  bench.tree.enter(kMain, {3, kRead}, ways_along(kToInner));
  CHECK(bench.running == std::set<TaskId>{1, 2});
  bench.end(2, kInner);
  CHECK(bench.running == std::set<TaskId>{1});
  bench.end(1, kObject);
  CHECK(bench.running == std::set<TaskId>{3});
  bench.end(3, kInner);
  CHECK(bench.tree.is_idle(kInner));
}

// The one that passes may itself wait for the reader, at another node.
TEST_CASE("a reader behind one that passes goes on once nobody writes below") {
  Bench bench;
  bench.tree.enter(kMain, {1, kWrite}, ways_along(kToObject));
  bench.tree.enter(kMain, {2, kRead, true}, ways_along(kToInner));
  bench.tree.enter(kMain, {3, kRead}, ways_along(kToInner));
  bench.tree.enter(kMain, {4, kRead}, ways_along(kToInner));
  bench.end(1, kObject);
  CHECK(bench.running == std::set<TaskId>{2, 3, 4});
  for (const TaskId task : {2, 3, 4}) bench.end(task, kInner);
  CHECK(bench.tree.is_idle(kInner));
}

TEST_CASE("a node that gives back what has not ended breaks an invariant") {
  Bench bench;
  bench.spawn(kMain, 1, kWrite, kToObject);
  CHECK(bench.tree.broken_invariant() == nullptr);
  bench.tree.ended_below(kInner, {.counts = {.writes = 1}});
  CHECK(bench.tree.broken_invariant() != nullptr);
}

TEST_CASE("a queue knows when its links and counts do not fit") {
  UseQueue::Pool pool;
  UseQueue queue;
  UseQueue::Entry& first = queue.insert(pool, {1, kRead}, kObject, nullptr);
  UseQueue::Entry& second = queue.insert(pool, {2, kWrite}, kObject, nullptr);
  queue.note_granted(first);
  CHECK(queue.broken_invariant() == nullptr);
  const auto breaks = [&queue](auto& field, auto value) {
    const auto right = std::exchange(field, value);
    CHECK(queue.broken_invariant() != nullptr);
    field = right;
    CHECK(queue.broken_invariant() == nullptr);
  };
  breaks(second.ahead, nullptr);
  breaks(first.behind, nullptr);
  breaks(first.granted, false);
  breaks(second.granted, true);
  breaks(first.use.mode, kWrite);
  breaks(second.use.mode, kRead);
}
