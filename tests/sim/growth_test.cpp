// SPDX-License-Identifier: Apache-2.0
//
// What schedulers do grows with what programs do, not with its square: sizes at which a square
// would take minutes, or a recursion all of the stack. The time limit of the test ends that.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/sanitized.hpp"
#include "micro/sim_store.hpp"
#include "sched/queued_tree.hpp"

namespace myr::growth_test {

using proto::AgentId;
using proto::Mode;
using proto::NodeId;
using proto::Purpose;
using sched::Topology;

namespace {

// A sanitizer is to find other mistakes, and takes many times as long.
constexpr unsigned kScale = base::kIsSanitized ? 20 : 1;

constexpr proto::PageRun kMemory{.first = 1, .count = std::uint64_t{1} << 30};

// The schedulers of a tree. Main is played by the test; other tasks end when they begin.
class Tree {
 public:
  explicit Tree(const std::vector<unsigned>& fan_outs, bool moves_data = true)
      : topology_(Topology::of_fan_outs(fan_outs)),
        tree_(
            topology_, {.moves_data = moves_data, .memory = kMemory},
            [] { return std::make_unique<bench::SimStore>(); },
            [this](AgentId worker, proto::Message&& message) { take(worker, message.body); }) {}

  void say(AgentId to, proto::Body body) {
    tree_.send(topology_.workers().front(), {.to = to, .body = std::move(body)});
  }
  void spawn(const std::vector<proto::Access>& accesses, Purpose purpose = Purpose::Run) {
    auto task = std::make_unique<proto::Task>();
    task->parent = proto::kMain;
    task->purpose = purpose;
    task->time = clock_.spawn();
    task->accesses.append(accesses.data(), accesses.data() + accesses.size());
    say(proto::kTop, proto::Spawn{.task = std::move(task)});
  }
  NodeId new_region(NodeId parent, std::int32_t level_hint = 0) {
    say(proto::owner_of_region(parent), proto::NewRegion{.request = 0,
                                                         .asker = topology_.workers().front(),
                                                         .parent = parent,
                                                         .level_hint = level_hint});
    tree_.deliver();
    return made_.region;
  }
  std::vector<std::uint64_t> allocate(NodeId region, std::uint64_t count) {
    say(proto::owner_of_region(region), proto::Allocate{.request = 0,
                                                        .asker = topology_.workers().front(),
                                                        .region = region,
                                                        .bytes = 64,
                                                        .count = count,
                                                        .time = clock_.now()});
    tree_.deliver();
    return std::move(allocated_.addresses);
  }
  // All tasks run and end: main waits for them.
  void wait_all() {
    say(proto::kTop, proto::WaitAll{.task = proto::kMain, .time = clock_.now()});
    tree_.deliver();
    CHECK(waits_over_ == 1);
    waits_over_ = 0;
  }
  [[nodiscard]] std::uint64_t tasks_run() const { return tasks_run_; }

 private:
  void take(AgentId worker, proto::Body& body) {
    if (const auto* execute = std::get_if<proto::Execute>(&body)) {
      const proto::TaskId task = execute->work.task;
      tasks_run_ += 1;
      tree_.send(worker, {.to = proto::home_of(task), .body = proto::BodyEnded{task}});
    } else if (auto* made = std::get_if<proto::RegionMade>(&body)) {
      made_ = *made;
    } else if (auto* allocated = std::get_if<proto::Allocated>(&body)) {
      allocated_ = std::move(*allocated);
    } else {
      waits_over_ += 1;
    }
  }

  const Topology topology_;
  sched::QueuedTree tree_;
  proto::RegionMade made_{};
  proto::Allocated allocated_{};
  proto::SerialClock clock_;
  std::uint64_t tasks_run_ = 0;
  unsigned waits_over_ = 0;
};

proto::Access access(NodeId node, Mode mode) { return {.node = node, .mode = mode}; }
proto::Access object(std::uint64_t address, Mode mode) {
  return access(NodeId::object(address), mode);
}

}  // namespace

TEST_CASE("readers of one object, and what follows them") {
  constexpr unsigned kReaders = 100'000 / kScale;
  Tree tree({2});
  const std::uint64_t shared = tree.allocate(proto::kRootRegion, 1).front();
  tree.spawn({object(shared, Mode::Write)});
  for (unsigned i = 0; i < kReaders; ++i) tree.spawn({object(shared, Mode::Read)});
  tree.spawn({object(shared, Mode::Write)});
  tree.wait_all();
  CHECK(tree.tasks_run() == kReaders + 2);
}

TEST_CASE("children on the region that their parent holds") {
  constexpr unsigned kTasks = 100'000 / kScale;
  Tree tree({2});
  for (unsigned i = 0; i < kTasks; ++i) tree.spawn({access(proto::kRootRegion, Mode::Write)});
  tree.wait_all();
  CHECK(tree.tasks_run() == kTasks);
}

TEST_CASE("reading a region with many holes and many objects of other producers") {
  constexpr unsigned kObjects = 20'000 / kScale;
  Tree tree({2});
  const NodeId region = tree.new_region(proto::kRootRegion);
  const std::vector<std::uint64_t> objects = tree.allocate(region, kObjects);
  for (unsigned i = 0; i < kObjects; i += 2) {
    tree.spawn({object(objects[i], Mode::Write)}, Purpose::FreeObject);
  }
  for (unsigned i = 0; i < 50; ++i) tree.spawn({access(region, Mode::Read)});
  tree.wait_all();
  CHECK(tree.tasks_run() == 50);
}

TEST_CASE("writing a region in which many objects were made") {
  constexpr unsigned kTasks = 10'000 / kScale;
  Tree tree({2}, false);  // else each task must know what is there
  const NodeId region = tree.new_region(proto::kRootRegion);
  static_cast<void>(tree.allocate(region, 200'000));
  for (unsigned i = 0; i < kTasks; ++i) tree.spawn({access(region, Mode::Write)});
  tree.wait_all();
  CHECK(tree.tasks_run() == kTasks);
}

TEST_CASE("freeing the regions in a region one by one") {
  constexpr unsigned kRegions = 50'000 / kScale;
  for (const std::vector<unsigned>& fan_outs : {std::vector{2U}, {2U, 2U}}) {
    Tree tree(fan_outs);
    std::vector<NodeId> regions;
    for (unsigned i = 0; i < kRegions; ++i) regions.push_back(tree.new_region(proto::kRootRegion));
    for (const NodeId region : regions) {
      tree.spawn({access(region, Mode::Write)}, Purpose::FreeRegion);
    }
    tree.wait_all();
  }
}

TEST_CASE("regions within regions") {
  constexpr unsigned kDepth = 100'000 / kScale;
  constexpr unsigned kUsed = 2'000 / kScale;  // deep; the way to each is as long
  Tree tree({2});
  NodeId inner = proto::kRootRegion;
  NodeId first;
  for (unsigned i = 0; i < kDepth; ++i) {
    inner = tree.new_region(inner);
    if (i == 0) first = inner;
    if (i == kUsed) {
      for (unsigned task = 0; task < 1'000; ++task) tree.spawn({access(inner, Mode::Write)});
    }
  }
  tree.spawn({access(first, Mode::Read)});
  tree.spawn({access(first, Mode::Write)});
  tree.spawn({access(first, Mode::Write)}, Purpose::FreeRegion);
  tree.wait_all();
  CHECK(tree.tasks_run() == 1'002);
}

TEST_CASE("accesses of one task") {
  constexpr unsigned kObjects = 50'000 / kScale;
  Tree tree({2});
  const NodeId region = tree.new_region(proto::kRootRegion);
  std::vector<proto::Access> accesses;
  for (const std::uint64_t address : tree.allocate(region, kObjects)) {
    accesses.push_back(object(address, Mode::Write));
  }
  tree.spawn(accesses);
  tree.wait_all();
  accesses.push_back(accesses.front());
  accesses.push_back(access(region, Mode::Read));
  tree.spawn(accesses);
  tree.wait_all();
  CHECK(tree.tasks_run() == 2);
}

TEST_CASE("spawns that wait for the way of the first") {
  constexpr unsigned kTasks = 200'000 / kScale;
  Tree tree({2, 2});
  const NodeId region = tree.new_region(proto::kRootRegion);  // of a lower scheduler
  tree.spawn({access(region, Mode::Write)});
  for (unsigned i = 0; i < kTasks; ++i) tree.spawn({});
  tree.wait_all();
  CHECK(tree.tasks_run() == kTasks + 1);
}

}  // namespace myr::growth_test
