// SPDX-License-Identifier: Apache-2.0
//
// What schedulers do where workers share memory with them: there a worker frees an object by
// itself, and a region before its owner has heard of it.
#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "micro/sim_store.hpp"
#include "sched/queued_tree.hpp"

namespace myr::shared_test {

using proto::AgentId;
using proto::NodeId;
using sched::Topology;

namespace {

constexpr proto::PageRun kMemory{.first = 1, .count = 1000};

// The schedulers of a tree; the test plays main, and the only task.
class Tree {
 public:
  [[nodiscard]] NodeId new_region() {
    say(proto::kTop,
        proto::NewRegion{
            .request = 0, .asker = main_worker(), .parent = proto::kRootRegion, .level_hint = -1});
    return made_;
  }
  [[nodiscard]] std::uint64_t allocate(NodeId region) {
    say(proto::owner_of_region(region), proto::Allocate{.request = 0,
                                                        .asker = main_worker(),
                                                        .region = region,
                                                        .bytes = 64,
                                                        .count = 1,
                                                        .time = {}});
    return allocated_;
  }
  // With its region, it is not there any more when its owner hears that it is to be freed.
  void free_too_late(NodeId region, std::uint64_t object) {
    free(object);
    say(proto::owner_of_region(region), proto::Free{.node = NodeId::object(object)});
  }
  // Runs a task that writes the objects. They are freed as soon as it has come to its worker.
  void run_and_free(const std::vector<std::uint64_t>& objects) {
    auto task = std::make_unique<proto::Task>();
    task->parent = proto::kMain;
    task->time = proto::SerialTime().spawn();
    for (const std::uint64_t object : objects) {
      task->accesses.push_back({.node = NodeId::object(object), .mode = proto::Mode::Write});
    }
    to_free_ = objects;
    say(proto::kTop, proto::Spawn{.task = std::move(task)});
    REQUIRE(task_.has_value());
    tree_.send(worker_, {.to = proto::home_of(*task_), .body = proto::BodyEnded{.task = *task_}});
    tree_.deliver();
  }
  [[nodiscard]] bool wait_all() {
    say(proto::kTop, proto::WaitAll{.task = proto::kMain, .time = {}});
    return is_over_;
  }

 private:
  [[nodiscard]] AgentId main_worker() const { return topology_.workers().front(); }
  void say(AgentId to, proto::Body body) {
    tree_.send(main_worker(), {.to = to, .body = std::move(body)});
    tree_.deliver();
  }
  std::unique_ptr<sched::Store> make_store() {
    auto store = std::make_unique<bench::SimStore>();
    stores_.push_back(store.get());
    return store;
  }
  void take(AgentId worker, proto::Body& body) {
    if (const auto* made = std::get_if<proto::RegionMade>(&body)) {
      made_ = made->region;
    } else if (const auto* allocated = std::get_if<proto::Allocated>(&body)) {
      allocated_ = allocated->addresses.front();
    } else if (const auto* execute = std::get_if<proto::Execute>(&body)) {
      worker_ = worker;
      task_ = execute->work.task;
      for (const std::uint64_t object : to_free_) free(object);
    } else {
      is_over_ = true;
    }
  }
  void free(std::uint64_t object) {
    for (bench::SimStore* const store : stores_) {
      if (store->region_of(object)) store->free(object);
    }
  }

  const Topology topology_ = Topology::of_fan_outs({2, 2});
  std::vector<bench::SimStore*> stores_;
  sched::QueuedTree tree_{
      topology_,
      {.moves_data = false, .memory = kMemory},
      [this] { return make_store(); },
      [this](AgentId worker, proto::Message&& message) { take(worker, message.body); }};
  NodeId made_;
  std::uint64_t allocated_ = 0;
  std::vector<std::uint64_t> to_free_;
  AgentId worker_ = proto::kNoAgent;
  std::optional<proto::TaskId> task_;
  bool is_over_ = false;
};

}  // namespace

// A task's home tells the owners of what it writes where it runs. Before they have heard of that it
// may have ended, and its parent may have freed the objects.
TEST_CASE("an object is freed while its owner is being told who writes it") {
  Tree tree;
  const NodeId left = tree.new_region();
  const NodeId right = tree.new_region();
  REQUIRE(proto::owner_of_region(left) != proto::owner_of_region(right));  // so the top is the home
  tree.run_and_free({tree.allocate(left), tree.allocate(right)});
  CHECK(tree.wait_all());
}

// Only users of its region wait for the free of an object; and its parent, which has it, may
// have freed that by now.
TEST_CASE("a region is freed while its owner is being told to free an object in it") {
  Tree tree;
  const NodeId region = tree.new_region();
  tree.free_too_late(region, tree.allocate(region));
  CHECK(tree.wait_all());
}

}  // namespace myr::shared_test
